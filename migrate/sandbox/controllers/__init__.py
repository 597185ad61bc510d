"""
The product's controllers and the cluster's own, played by ordinary API clients.

They read the same facts as the tool, never its decisions, and can drive any API server.
"""
