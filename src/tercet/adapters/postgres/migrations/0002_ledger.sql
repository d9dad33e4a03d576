-- Folders, files, passages and the counts over them; vectors already made; small values; what was asked and shown.
-- Texts that answers are ordered by sort by their bytes, whatever the database's locale is.

-- The sums of one scope. Its row is also the lock of whoever changes that scope's counts.
CREATE TABLE scope (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    documents bigint NOT NULL DEFAULT 0 CHECK (documents >= 0),
    total_length bigint NOT NULL DEFAULT 0 CHECK (total_length >= 0),
    PRIMARY KEY (tenant, agent, anchor)
) WITH (fillfactor = 50);

CREATE TABLE term_count (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    term text COLLATE "C" NOT NULL,
    documents bigint NOT NULL CHECK (documents >= 0),
    PRIMARY KEY (tenant, agent, anchor, term)
) WITH (fillfactor = 80);

-- One sequence for all: a folder that is removed and added again never has a version a second time.
CREATE SEQUENCE manifest_version;

-- The version grows with every change of the folder's files, so that an unchanged list need not be read again.
CREATE TABLE root (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    label text COLLATE "C" NOT NULL,
    directory text NOT NULL,
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    version bigint NOT NULL DEFAULT nextval('manifest_version'),
    passages bigint NOT NULL DEFAULT 0 CHECK (passages >= 0),
    PRIMARY KEY (tenant, label)
) WITH (fillfactor = 50);

CREATE TABLE file (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    root text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    size bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    sha256 text NOT NULL,
    indexed_at_ns bigint NOT NULL,
    warning text NOT NULL,
    PRIMARY KEY (tenant, root, path),
    FOREIGN KEY (tenant, root) REFERENCES root (tenant, label)
);

-- A passage keeps the scope it was counted in, so that it is taken back there.
CREATE TABLE passage (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    id text COLLATE "C" NOT NULL,
    root text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    ordinal integer NOT NULL,
    has_vector boolean NOT NULL,
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    length bigint NOT NULL,
    terms text[] NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, root, path) REFERENCES file (tenant, root, path)
);
CREATE INDEX passage_of_file ON passage (tenant, root, path, ordinal);
CREATE INDEX passage_waiting ON passage (tenant, id) WHERE NOT has_vector;

-- The row of a path is also the lock of whoever records that file, whether the file is there yet or not.
CREATE TABLE announced (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    root text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, root, path),
    FOREIGN KEY (tenant, root) REFERENCES root (tenant, label) ON DELETE CASCADE
);

CREATE TABLE named_value (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    key text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (tenant, key)
);

CREATE SEQUENCE embedding_number;

-- Numbered as written, so that the longest unwritten are dropped first.
CREATE TABLE embedding (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    key text COLLATE "C" NOT NULL,
    space text COLLATE "C" NOT NULL,
    number bigint NOT NULL DEFAULT nextval('embedding_number'),
    vector bytea NOT NULL,
    PRIMARY KEY (tenant, key, space)
);
-- Vectors of floats do not shrink: no time is spent on trying.
ALTER TABLE embedding ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX embedding_number_of ON embedding (tenant, number);

-- The last number given in each log of a tenant: without gaps, so that a bound needs no counting.
CREATE TABLE log_position (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    log text COLLATE "C" NOT NULL,
    last bigint NOT NULL,
    PRIMARY KEY (tenant, log)
) WITH (fillfactor = 50);

CREATE TABLE query_log (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    number bigint NOT NULL,
    query text NOT NULL,
    hit_ids text[] NOT NULL,
    at_ms bigint NOT NULL,
    best double precision,
    agent text COLLATE "C" NOT NULL,
    anchors text[] NOT NULL,
    PRIMARY KEY (tenant, number)
);

CREATE TABLE access (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    number bigint NOT NULL,
    item text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    at_ms bigint NOT NULL,
    PRIMARY KEY (tenant, number)
);
CREATE INDEX access_of_item ON access (tenant, item);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'scope', 'term_count', 'root', 'file', 'passage', 'announced', 'named_value', 'embedding', 'log_position',
        'query_log', 'access'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY of_tenant ON %I USING (tenant = current_setting(''app.tenant'', true)) '
            'WITH CHECK (tenant = current_setting(''app.tenant'', true))', name
        );
    END LOOP;
END
$$;
