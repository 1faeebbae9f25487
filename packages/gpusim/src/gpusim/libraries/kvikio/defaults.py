"""KvikIO's settings, which nothing here depends on."""
