// Command judge answers JSON lines on its input with JSON lines on its output.
//
// {"text": …} asks how one document reads: as JSON, and as the struct of a payload processor's configuration.
// {"data": {…}} asks for the decision on the data of a plugins ConfigMap, in the order and by the comparison
// that the migration's contract states; the reading is that of sigs.k8s.io/yaml.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"sort"
	"strings"

	"sigs.k8s.io/yaml"
)

type plugin struct {
	Type       string         `json:"type"`
	Name       string         `json:"name,omitempty"`
	Parameters map[string]any `json:"parameters,omitempty"`
}

type reference struct {
	PluginRef string `json:"pluginRef"`
}

type profile struct {
	Name    string `json:"name"`
	Plugins struct {
		Request  []reference `json:"request"`
		Response []reference `json:"response"`
	} `json:"plugins"`
}

type config struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Plugins    []plugin  `json:"plugins"`
	Profiles   []profile `json:"profiles"`
}

const (
	preKey   = "custom-pre-processing-ipp-config.yaml"
	mainKey  = "custom-ipp-config.yaml"
	preBase  = `{"plugins":[{"type":"body-field-to-header","name":"model-extractor","parameters":{"fieldName":"model","headerName":"X-Gateway-Model-Name"}},{"type":"model-provider-resolver"}],"profiles":[{"name":"default","plugins":{"request":[{"pluginRef":"model-extractor"},{"pluginRef":"model-provider-resolver"}]}}]}`
	mainBase = `{"plugins":[{"type":"maas-headers-guard"},{"type":"stream-usage-enforcer"},{"type":"model-provider-resolver"},{"type":"api-translation"},{"type":"apikey-injection"}],"profiles":[{"name":"default","plugins":{"request":[{"pluginRef":"maas-headers-guard"},{"pluginRef":"stream-usage-enforcer"},{"pluginRef":"model-provider-resolver"},{"pluginRef":"api-translation"},{"pluginRef":"apikey-injection"}]}}]}`
	onlyIPP  = "PayloadProcessorConfig"
	maxInput = 64 << 20
	allow    = "allow"
)

type question struct {
	Text *string            `json:"text"`
	Data *map[string]string `json:"data"`
}

type answer struct {
	JSON     json.RawMessage `json:"json,omitempty"`
	Refused  bool            `json:"refused,omitempty"`
	Struct   *config         `json:"struct,omitempty"`
	Misfit   bool            `json:"misfit,omitempty"`
	Decision string          `json:"decision,omitempty"`
	Label    string          `json:"label,omitempty"`
	Detail   string          `json:"detail,omitempty"`
}

func read(text string) answer {
	var found answer
	converted, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		found.Refused = true
	} else {
		found.JSON = converted
	}
	var made config
	if err := yaml.Unmarshal([]byte(text), &made); err != nil {
		found.Misfit, found.Detail = true, err.Error()
	} else {
		found.Struct = &made
	}
	return found
}

func must(text string) config {
	var made config
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		panic(err)
	}
	return made
}

func nameOf(item plugin) string {
	if item.Name == "" {
		return item.Type
	}
	return item.Name
}

func samePlugins(left, right []plugin) bool {
	if len(left) != len(right) {
		return false
	}
	for i := range left {
		if left[i].Type != right[i].Type || nameOf(left[i]) != nameOf(right[i]) {
			return false
		}
		if len(left[i].Parameters) == 0 && len(right[i].Parameters) == 0 {
			continue
		}
		if !reflect.DeepEqual(left[i].Parameters, right[i].Parameters) {
			return false
		}
	}
	return true
}

func sameReferences(left, right []reference) bool {
	if len(left) != len(right) {
		return false
	}
	for i := range left {
		if left[i] != right[i] {
			return false
		}
	}
	return true
}

func same(live, base config) bool {
	if len(live.Profiles) != 1 || live.Profiles[0].Name != "default" || !samePlugins(live.Plugins, base.Plugins) {
		return false
	}
	stages, wanted := live.Profiles[0].Plugins, base.Profiles[0].Plugins
	return sameReferences(stages.Request, wanted.Request) && sameReferences(stages.Response, wanted.Response)
}

func parse(text string) (config, string) {
	var made config
	if err := yaml.Unmarshal([]byte(text), &made); err != nil {
		return made, "unreadable"
	}
	if made.Kind != "" && made.Kind != onlyIPP {
		return made, "kind"
	}
	return made, ""
}

func decide(data map[string]string) answer {
	if _, there := data["pre-extproc.yaml"]; there {
		return answer{Decision: allow, Label: "praxis"}
	}
	if _, there := data["extproc.yaml"]; there {
		return answer{Decision: allow, Label: "praxis"}
	}
	preText, hasPre := data[preKey]
	mainText, hasMain := data[mainKey]
	if !hasPre || !hasMain {
		return answer{Decision: "block", Detail: "unrecognized data keys"}
	}
	pre, why := parse(preText)
	if why != "" {
		return answer{Decision: "block", Detail: "pre-processing config: " + why}
	}
	processing, why := parse(mainText)
	if why != "" {
		return answer{Decision: "block", Detail: "processing config: " + why}
	}
	var extra []string
	for key := range data {
		if key != preKey && key != mainKey {
			extra = append(extra, key)
		}
	}
	if len(extra) > 0 {
		sort.Strings(extra)
		return answer{Decision: "block", Detail: "unexpected data keys: " + strings.Join(extra, ", ")}
	}
	if !same(pre, must(preBase)) {
		return answer{Decision: "block", Detail: "pre-processing deviates"}
	}
	base := must(mainBase)
	if same(processing, base) {
		return answer{Decision: allow, Label: "default"}
	}
	base.Profiles[0].Plugins.Response = []reference{{PluginRef: "api-translation"}}
	if same(processing, base) {
		return answer{Decision: allow, Label: "default+response-api-translation"}
	}
	return answer{Decision: "block", Detail: "processing deviates"}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<16), maxInput)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		var told answer
		if asked.Text != nil {
			told = read(*asked.Text)
		} else {
			told = decide(*asked.Data)
		}
		if err := encoder.Encode(told); err != nil {
			panic(err)
		}
		if err := out.Flush(); err != nil {
			panic(err)
		}
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}
