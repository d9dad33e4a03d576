-- Capture: the inbox, entries, identity links, and the windows of sessions.
-- Texts that answers are ordered by sort by their bytes, whatever the database's locale is.

-- A finished or forgotten item keeps its id, so that a replay adds nothing, and loses its text.
CREATE TABLE inbox (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    id text COLLATE "C" NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    source text NOT NULL,
    session text COLLATE "C" NOT NULL,
    message_id text NOT NULL,
    text text NOT NULL,
    digest text NOT NULL,
    said_at text,
    received_at text NOT NULL,
    due_ms bigint NOT NULL DEFAULT 0,
    -- Which service leased it last; empty when it was given back.
    holder text NOT NULL DEFAULT '',
    attempts integer NOT NULL,
    keep_all boolean NOT NULL,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'dead', 'forgotten')),
    reason text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant, id)
);
CREATE INDEX inbox_waiting ON inbox (tenant, number) WHERE state = 'waiting';
CREATE INDEX inbox_leased ON inbox (tenant, due_ms) WHERE state = 'waiting' AND holder <> '';
CREATE INDEX inbox_dead ON inbox (tenant, number) WHERE state = 'dead';
CREATE INDEX inbox_text ON inbox (tenant, agent, anchor, digest) WHERE state IN ('waiting', 'dead');

CREATE TABLE entry (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    id text COLLATE "C" NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    text text NOT NULL,
    digest text NOT NULL,
    category text NOT NULL,
    importance double precision NOT NULL,
    said_at text,
    stored_at text NOT NULL,
    stored_ms bigint NOT NULL,
    time_ms bigint NOT NULL,
    origin text NOT NULL,
    session text COLLATE "C" NOT NULL,
    message_id text NOT NULL,
    ordinal integer NOT NULL,
    state text NOT NULL CHECK (state IN ('live', 'superseded', 'forgotten')),
    superseded_by text COLLATE "C" NOT NULL DEFAULT '',
    seen integer NOT NULL,
    last_seen text,
    -- Of its terms: how many with repeats, and which.
    length integer NOT NULL,
    terms text[] NOT NULL,
    synced boolean NOT NULL DEFAULT false,
    has_vector boolean NOT NULL DEFAULT false,
    revision integer NOT NULL DEFAULT 0,
    state_before text NOT NULL DEFAULT '',
    forgotten_in bigint,
    purge_at_ms bigint CHECK (purge_at_ms IS NULL OR state = 'forgotten'),
    PRIMARY KEY (tenant, id)
);
-- Of two writers that tell the same text at once, one finds the other's.
CREATE UNIQUE INDEX entry_text ON entry (tenant, agent, anchor, digest) WHERE state = 'live';
CREATE INDEX entry_time ON entry (tenant, agent, anchor, time_ms, number) WHERE state = 'live';
CREATE INDEX entry_stored ON entry (tenant, agent, stored_ms, id);
CREATE INDEX entry_scope ON entry (tenant, agent, anchor) WHERE state <> 'forgotten';
CREATE INDEX entry_session ON entry (tenant, agent, session, ordinal) WHERE session <> '';
CREATE INDEX entry_chain ON entry (tenant, superseded_by) WHERE superseded_by <> '';
CREATE INDEX entry_pending ON entry (tenant, number) WHERE NOT synced;
CREATE INDEX entry_synced ON entry (tenant) WHERE synced AND state = 'live';
CREATE INDEX entry_purge ON entry (tenant, purge_at_ms) WHERE purge_at_ms IS NOT NULL;

-- Numbers every forget, so that undo knows the last one.
CREATE SEQUENCE forget_number;

CREATE TABLE entry_link (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    entry_id text COLLATE "C" NOT NULL,
    other_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, entry_id, other_id)
);
CREATE INDEX entry_link_other ON entry_link (tenant, other_id);

-- Only ever added to: what happened to which entry, without a word of its text.
CREATE TABLE journal_event (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    number bigint GENERATED ALWAYS AS IDENTITY,
    entry_id text NOT NULL,
    what text NOT NULL,
    other_id text NOT NULL DEFAULT '',
    at_ms bigint NOT NULL,
    PRIMARY KEY (tenant, number)
);

CREATE TABLE identity_link (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, agent, anchor)
);

-- Its counters are sums over its messages, kept so that all sessions are looked at without reading theirs.
CREATE TABLE session_window (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    id bigint GENERATED ALWAYS AS IDENTITY,
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    last_number bigint NOT NULL DEFAULT 0,
    extracted_to bigint NOT NULL DEFAULT 0,
    tokens bigint NOT NULL DEFAULT 0,
    tool_calls bigint NOT NULL DEFAULT 0,
    turns bigint NOT NULL DEFAULT 0,
    messages bigint NOT NULL DEFAULT 0,
    kept_tokens bigint NOT NULL DEFAULT 0,
    kept_bytes bigint NOT NULL DEFAULT 0,
    ended boolean NOT NULL DEFAULT false,
    claim bigint NOT NULL DEFAULT 0,
    lease_ms bigint NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    retry_at text,
    reason text NOT NULL DEFAULT '',
    extracted_at text,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, agent, anchor, session)
);

CREATE TABLE window_message (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    window_id bigint NOT NULL,
    number bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    role text NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
    tokens bigint NOT NULL,
    bytes bigint NOT NULL,
    begins_turn boolean NOT NULL,
    message_id text NOT NULL,
    said_at text,
    digest text NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (tenant, window_id, number),
    UNIQUE (tenant, key),
    FOREIGN KEY (tenant, window_id) REFERENCES session_window (tenant, id) ON DELETE CASCADE
);

-- A message that left the window keeps its key, so that a replay adds nothing.
CREATE TABLE window_key (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    key text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, key)
);

-- What the extractions of whole sessions gave: from which messages, and about which topic.
CREATE TABLE session_fact (
    tenant text NOT NULL DEFAULT current_setting('app.tenant'),
    entry_id text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    title text NOT NULL,
    agent text COLLATE "C" NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    extraction text NOT NULL,
    evidence text[] NOT NULL,
    sources text[] NOT NULL,
    noted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, entry_id, topic)
);
CREATE INDEX session_fact_topic ON session_fact (tenant, agent, anchor, topic) WHERE topic <> '';

-- Numbers every claim of an extraction: a lapsed one never has the number of a later one, not even
-- where the window was forgotten and made anew meanwhile.
CREATE SEQUENCE extraction_claim;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'inbox', 'entry', 'entry_link', 'journal_event', 'identity_link', 'session_window', 'window_message',
        'window_key', 'session_fact'
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
