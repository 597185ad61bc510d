"""Where objects lie: versions, history, watches, pages and selections."""
