"""REST resource of the audit trail: filters, pages and export."""
