"""The versions of the language: functions, conditions and expressions."""
