"""Collections and expressions over cuDF partitions."""
