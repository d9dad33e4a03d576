-- Every table: the tenant first in its primary key (so that a distributed PostgreSQL can shard by it) and in
-- every index, and row-level security that binds the owner too.

CREATE SCHEMA IF NOT EXISTS tercet;

CREATE TABLE tercet.migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- Tenants that have an index, also an empty one.
CREATE TABLE tercet.passage_stores (
    tenant text COLLATE "C" PRIMARY KEY,
    made_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tercet.spaces (
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    description text NOT NULL,
    state text NOT NULL CHECK (state IN ('active', 'filling')),
    has_index boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, name)
);
CREATE UNIQUE INDEX one_space_a_state ON tercet.spaces (tenant, state);

CREATE TABLE tercet.passages (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    root text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    start_line bigint NOT NULL,
    end_line bigint NOT NULL,
    timestamp_ms bigint,
    utc_offset_s integer,
    importance double precision,
    category text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    speaker text NOT NULL,
    session text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    place text COLLATE "C" NOT NULL,
    tags text[] NOT NULL,
    header text NOT NULL,
    context text NOT NULL,
    body text NOT NULL,
    terms text NOT NULL,
    length integer NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX passages_by_scope ON tercet.passages (tenant, agent, anchor) INCLUDE (id, length);

-- Beside the passages and narrow, so that the best of many matches are found without reading their texts.
-- A lexeme is a term with a mark of tenant and scope before it: a search meets only entries of its own scopes.
CREATE TABLE tercet.passage_terms (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    length integer NOT NULL,
    lexemes tsvector NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, id) REFERENCES tercet.passages ON DELETE CASCADE
);
CREATE INDEX passage_terms_lexemes ON tercet.passage_terms USING gin (lexemes) WITH (gin_pending_list_limit = 1024);

CREATE TABLE tercet.vectors (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    space text COLLATE "C" NOT NULL,
    vector vector NOT NULL,
    PRIMARY KEY (tenant, id, space),
    FOREIGN KEY (tenant, id) REFERENCES tercet.passages ON DELETE CASCADE
);
-- In the row itself: an exact search reads every vector in reach, and would fetch each from beside the table.
ALTER TABLE tercet.vectors ALTER COLUMN vector SET STORAGE MAIN;
CREATE INDEX vectors_by_space ON tercet.vectors (tenant, space);

ALTER TABLE tercet.passage_stores ENABLE ROW LEVEL SECURITY;
ALTER TABLE tercet.passage_stores FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tercet.passage_stores
    USING (tenant = current_setting('app.tenant', true)) WITH CHECK (tenant = current_setting('app.tenant', true));

ALTER TABLE tercet.spaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE tercet.spaces FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tercet.spaces
    USING (tenant = current_setting('app.tenant', true)) WITH CHECK (tenant = current_setting('app.tenant', true));

ALTER TABLE tercet.passages ENABLE ROW LEVEL SECURITY;
ALTER TABLE tercet.passages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tercet.passages
    USING (tenant = current_setting('app.tenant', true)) WITH CHECK (tenant = current_setting('app.tenant', true));

ALTER TABLE tercet.vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE tercet.vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tercet.vectors
    USING (tenant = current_setting('app.tenant', true)) WITH CHECK (tenant = current_setting('app.tenant', true));

-- Under row-level security a condition of the query itself may not use the index over lexemes, since its operator
-- might tell of rows that are not to be seen (it is not LEAKPROOF). A condition of the policy may: so what is
-- searched for stands in a setting, and of this table a reader sees the rows that match it. The tenant is written so
-- that its own index does not answer for it: beside the lexemes' index that would only be read in vain.
ALTER TABLE tercet.passage_terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE tercet.passage_terms FORCE ROW LEVEL SECURITY;
CREATE POLICY matching ON tercet.passage_terms FOR SELECT
    USING (tenant || '' = current_setting('app.tenant', true)
           AND lexemes @@ current_setting('app.lexemes', true)::tsquery);
CREATE POLICY inserting ON tercet.passage_terms FOR INSERT
    WITH CHECK (tenant = current_setting('app.tenant', true));
CREATE POLICY updating ON tercet.passage_terms FOR UPDATE
    USING (tenant = current_setting('app.tenant', true)) WITH CHECK (tenant = current_setting('app.tenant', true));
CREATE POLICY deleting ON tercet.passage_terms FOR DELETE
    USING (tenant = current_setting('app.tenant', true));
