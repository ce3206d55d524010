"""Waivers put to use: statuses lowered by consent, with the evidence."""
