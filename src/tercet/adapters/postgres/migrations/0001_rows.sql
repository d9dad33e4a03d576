CREATE SCHEMA IF NOT EXISTS tercet;

CREATE TABLE tercet.migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
