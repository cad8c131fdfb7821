// Errors that the server itself raises. Errors of schema, queries, search and security have codes of their own
// packages.
import { defineErrors } from '@lockstitch/kernel';

export const serverErrors = defineErrors('SERVER', {
  SERVER_BAD_ARGUMENTS: { status: 400, message: '{reason}', hint: 'Run "lockstitch help" for verbs and options.' },
  SERVER_FOLDER_NOT_FOUND: {
    status: 404,
    message: 'There is no folder "{folder}".',
    hint: 'Name the folder of an application, or make one with "lockstitch init {folder}".',
  },
  SERVER_FOLDER_IS_FILE: {
    status: 400,
    message: '"{folder}" is a file, and an application is a folder.',
    hint: 'Name the folder that holds it: "{parent}".',
  },
  SERVER_NOT_AN_APP: {
    status: 400,
    message:
      '"{folder}" holds no schema: neither schema.graphql nor schema/*.graphql, nor a "schema" in its configuration.',
    hint: 'Write schema.graphql there, or make a new application with "lockstitch init <folder>".',
  },
  SERVER_FOLDER_NOT_WRITABLE: {
    status: 500,
    message: 'The folder "{folder}" cannot be written: {reason}',
    hint: 'Name a folder that this user may make or write.',
  },
  SERVER_FOLDER_NOT_EMPTY: {
    status: 409,
    message: 'The folder "{folder}" is not empty.',
    hint: 'Name a new or an empty folder; nothing was written.',
  },
  SERVER_BAD_APP: {
    status: 400,
    message: '{count} to fix in "{folder}":\n{problems}',
    hint: '"lockstitch check {folder}" lists them again without starting.',
  },
  SERVER_CONFIG_UNREADABLE: {
    status: 400,
    message: 'The configuration "{file}" cannot be loaded: {reason}',
    hint: 'It must be a module that exports an object as its default.',
  },
  SERVER_PORT_TAKEN: {
    status: 500,
    message: 'Port {port} on {host} is taken by another program.',
    hint: 'Choose another with --port or the variable PORT, or --port 0 for a free one.',
  },
  SERVER_PORT_FORBIDDEN: {
    status: 500,
    message: 'This user may not listen on port {port} of {host}.',
    hint: 'Choose a port from 1024 on with --port or the variable PORT.',
  },
  SERVER_ADDRESS_UNKNOWN: {
    status: 500,
    message: 'This machine has no address "{host}".',
    hint: 'It comes from --host, the variable HOST or the key "host": write 127.0.0.1 for this machine only, 0.0.0.0 for every network.',
  },
  SERVER_DATA_NOT_WRITABLE: {
    status: 500,
    message: 'The data folder "{folder}" cannot be written: {reason}',
    hint: 'Choose another with --data, or give this user the right to write there.',
  },
  SERVER_DATA_IN_USE: {
    status: 500,
    message: 'The data folder "{folder}" is in use by {holder}.',
    hint: 'Stop that process, or choose another folder with --data.',
  },
  SERVER_OTHERS_RUN: {
    status: 409,
    message:
      'Nothing was changed: servers with another schema run ({servers}), and these steps would break them: {steps}.',
    hint: 'Stop these servers first. One that was killed counts as running for 20 seconds.',
  },
  SERVER_DATABASE_UNREACHABLE: {
    status: 500,
    message: 'The database {database} cannot be opened: {reason}',
    hint: 'Check that it runs, and the address, user and password in DATABASE_URL.',
  },
  SERVER_ADOPT_ADDRESS: {
    status: 400,
    message: 'The first argument of "adopt" is no address of a database: {reason}.',
    hint: 'Write postgres://user:password@host/database, the path of an SQLite file, or the name of a variable that holds one.',
  },
  SERVER_ADOPT_NOTHING: {
    status: 400,
    message: 'There is nothing to adopt in {database}: {reason}',
    hint: 'A table needs a primary key, and this user the right to read it. Nothing was written.',
  },
  SERVER_ADOPT_OTHER: {
    status: 409,
    message: 'The folder "{folder}" was adopted from {former}, and this is {now}.',
    hint: 'Name the same database to see its changes, or a new folder.',
  },
  SERVER_DATABASE_UNNAMED: {
    status: 500,
    message: 'The variable {variable} holds no address of a database.',
    hint: 'Set it to postgres://user:password@host/database or sqlite:<file>: the configuration takes the address from there.',
  },
  SERVER_DATA_GONE: {
    status: 500,
    message:
      'The database {database} is empty and knows {databasePosition} changes, but the search index {index} beside it has seen {indexPosition}: its data is gone, or it is another database. It is not filled again.',
    hint: 'Restore the database and start again; or, to begin with empty data, delete the folder "search" in the data folder too.',
  },
  SERVER_DATA_LOST: {
    status: 409,
    message: 'Nothing was compared or changed: {trouble}.',
    hint: 'Restore the database; or run "lockstitch index verify" without --dry-run, which follows the database as it is and rebuilds the index.',
  },
  SERVER_FEED_GONE_BACK: {
    status: 503,
    message:
      'The database has gone back: its changes up to {position} are not those that the search index has seen. The index is rebuilt.',
  },
  SERVER_SEED_FAILED: {
    status: 500,
    message: 'The seed stopped: {reason}',
    hint: 'The call of write() that failed wrote nothing, earlier ones did: fix the seed and delete the data folder to seed from the start.',
  },
  SERVER_IMPORT_UNREADABLE: {
    status: 400,
    message: 'The file "{file}" cannot be read: {reason}',
    hint: 'Name an NDJSON, JSON, CSV or TSV file, also compressed as .gz.',
  },
  SERVER_IMPORT_UNKNOWN_TYPE: {
    status: 400,
    message: 'The schema has no stored type "{type}".{suggestion}',
    hint: 'Stored types: {known}.',
  },
  SERVER_IMPORT_REFUSED: {
    status: 400,
    message: '{bad} of {total} rows are wrong; nothing was written.',
    hint: 'Fix the rows, or write the good ones with --skip-bad.',
  },
  SERVER_AUDIT_NOT_WRITABLE: {
    status: 500,
    message: 'The audit file "{file}" cannot be written: {reason}',
    hint: 'Name a file in a folder that this user may write to, in the key "audit.file".',
  },
  SERVER_USERS_NOT_IN_DATABASE: {
    status: 400,
    message: 'The accounts of "{folder}" are not in its database.',
    hint: 'Write userStore: \'sql\' in its configuration, or change the key "users" there by hand.',
  },
  SERVER_USERS_IN_MEMORY: {
    status: 400,
    message: 'The database of "{folder}" is in memory: accounts written here would be gone at once.',
    hint: 'Give "data" a folder, or name one with --data.',
  },
  SERVER_USER_NOT_FOUND: {
    status: 404,
    message: 'There is no user "{name}".',
    hint: '"lockstitch user list {folder}" lists the accounts of the database.',
  },
  SERVER_USER_EXISTS: {
    status: 409,
    message: 'There is a user "{name}" already.',
    hint: 'Names differ by more than upper and lower case. "lockstitch user passwd {folder} {name}" gives this one a new password.',
  },
  SERVER_PASSWORD_REFUSED: {
    status: 400,
    message: 'The password is not taken: {reason}',
    hint: 'Take another, of 8 characters or more: type it twice when asked, or send it as one line to standard input.',
  },
  SERVER_BODY_TOO_LARGE: {
    status: 413,
    message: 'The request body is larger than {limit} bytes.',
    hint: 'Send less at a time, or raise "limits.{key}" in the configuration.',
  },
  SERVER_STARTING: {
    status: 503,
    message: 'The server is starting and cannot answer yet.',
    hint: 'Try again shortly; GET /readyz says when it is ready.',
  },
  SERVER_DOOR_UNKNOWN: {
    status: 400,
    message: 'There is no door "{door}".',
    hint: 'Ask for one of {known}.',
  },
  SERVER_BODY_INCOMPLETE: { status: 400, message: 'The request ended before its body was complete.' },
  SERVER_BODY_ENCODING_UNKNOWN: {
    status: 415,
    message: 'The content coding "{coding}" of the body is not known.',
    hint: 'Send the body plain, or coded as gzip, deflate or br.',
  },
  SERVER_BODY_ENCODING_BROKEN: {
    status: 400,
    message: 'The body is not valid {coding}.',
    hint: 'Send the body plain, or check how it is compressed.',
  },
  SERVER_BAD_REQUEST: {
    status: 400,
    message: 'The request is not well-formed HTTP/1.1: {reason}.',
    hint: 'Look at the request line, the headers and the framing of the body.',
  },
  SERVER_SEARCH_REFUSED: {
    status: 400,
    message: 'The search cannot be carried out: {reason}.',
    hint: 'Search for fewer or longer words.',
  },
  SERVER_SEARCH_AWAY: {
    status: 503,
    message: 'The search does not answer: {reason}',
    hint: 'Send the request again later; what does not search is answered meanwhile.',
  },
  SERVER_HEADERS_TOO_LARGE: {
    status: 431,
    message: 'The headers of the request are larger than {limit} bytes.',
    hint: 'Send fewer or shorter headers, or raise "limits.headerSize".',
  },
  SERVER_REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request did not arrive in time.',
    hint: 'Send it faster, or raise "limits.headersTimeout" and "limits.requestTimeout".',
  },
  SERVER_NOT_FOUND: {
    status: 404,
    message: 'Nothing is served at {path}.',
    hint: 'The graph is at POST /graphql, search at /_search and /<index>/_search, the console at /_console/.',
  },
  SERVER_METHOD_NOT_ALLOWED: {
    status: 405,
    message: '{method} is not possible at {path}.',
    hint: 'Possible here: {allowed}.',
  },
  SERVER_ORIGIN_REFUSED: {
    status: 403,
    message: 'Pages of this origin may not open a WebSocket at {path}.',
    hint: 'Name the origin in "cors" of the configuration.',
  },
  SERVER_TRACING_MISSING: {
    status: 500,
    message: '"tracing" is on, and the package @opentelemetry/api is not installed.',
    hint: 'Run "npm install @opentelemetry/api" and start an SDK of OpenTelemetry in the application, or switch "tracing" off.',
  },
  SERVER_AUTHENTICATION_EXPIRED: {
    status: 401,
    message: 'You may no longer be connected: your session or token has ended, or your account was changed.',
    hint: 'Log in again, then connect again.',
  },
  SERVER_TOO_MANY_OPERATIONS: {
    status: 429,
    message: 'This connection has {limit} operations under way, the most it may have.',
    hint: 'End one of them first, or raise "graph.subscriptions.perConnection" in the configuration.',
  },
  SERVER_TOO_MANY_SUBSCRIPTIONS: {
    status: 503,
    message: 'The server has {limit} subscriptions, the most it takes.',
    hint: 'Try again later, or raise "graph.subscriptions.total" in the configuration.',
  },
  SERVER_TOO_MANY_STREAMS: {
    status: 429,
    message: 'You have reserved {limit} event streams that were never opened.',
    hint: 'Open them with GET and "Accept: text/event-stream"; those that are not opened are forgotten after 30 s.',
  },
  SERVER_STREAM_NOT_FOUND: {
    status: 404,
    message: 'There is no event stream of yours with this token.',
    hint: 'Reserve one with PUT and open it within 30 s; it ends with its connection.',
  },
  SERVER_STREAM_NOT_NAMED: {
    status: 400,
    message: 'The request neither takes an event stream nor names one.',
    hint: 'Send "Accept: text/event-stream" to get the events in the answer, or reserve a stream with PUT and send its token in "X-GraphQL-Event-Stream-Token".',
  },
  SERVER_STREAM_TAKEN: {
    status: 409,
    message: 'This event stream is open already.',
    hint: 'Reserve another one with PUT.',
  },
  SERVER_OPERATION_ID: {
    status: 400,
    message: 'The request does not say which operation of the stream it is about.',
    hint: 'Send a text of at most 128 characters of your choice: in extensions.operationId to start one, as ?operationId= to end it.',
  },
  SERVER_OPERATION_TAKEN: {
    status: 409,
    message: 'An operation "{id}" is under way on this stream.',
    hint: 'Choose another operationId.',
  },
  SERVER_POSITION_NOT_REACHED: {
    status: 503,
    message: 'The index has not reached position {position} in time; it is at {reached}.',
    hint: 'Ask again in a moment.',
  },
  SERVER_POSITION_AHEAD: {
    status: 400,
    message: 'No change has the position {position}: the feed has not come so far.',
    hint: 'Send back the Lockstitch-Position that a mutation answered here; another database counts by itself.',
  },
  SERVER_WAIT_INVALID: {
    status: 400,
    message: 'The header Lockstitch-Wait must be a number of milliseconds up to {longest}, not "{value}".',
    hint: 'Nothing was written. Leave it out to be answered at once.',
  },
  SERVER_POLICY_NO_DATA: {
    status: 500,
    message: 'The database of "{folder}" does not hold the schema yet, so there is no data that rules could be about.',
    hint: 'Start the application once, or run lockstitch migrate.',
  },
  SERVER_POSITION_INVALID: {
    status: 400,
    message: 'The header Lockstitch-Min-Position must be a whole number, not "{value}".',
    hint: 'Send back the Lockstitch-Position that a mutation answered.',
  },
  SERVER_METRICS_ANONYMOUS: {
    status: 401,
    message: 'The metrics are not public.',
    hint: 'Log in as a user with one of the authorities in "metrics.authorities".',
  },
  SERVER_METRICS_FORBIDDEN: {
    status: 403,
    message: 'The metrics are for callers with one of these authorities: {needed}.',
    hint: 'Give the user of your monitoring one of them, or name another in "metrics.authorities".',
  },
  SERVER_INDEX_UNKNOWN: {
    status: 404,
    message: 'The schema asks for no index "{index}".{suggestion}',
    hint: 'Indexes of the schema: {known}.',
  },
  SERVER_INDEX_BUSY: {
    status: 409,
    message: 'The index "{index}" is {now} already.',
    hint: 'Wait until that is done; "lockstitch index status" shows how far it is.',
  },
  SERVER_INDEX_FAILED: {
    status: 500,
    message: 'The work on the index ended: {reason}',
    hint: 'The log of the server says more. Nothing is half done: what answers searches is whole.',
  },
  SERVER_INDEX_CUT_OFF: {
    status: 500,
    message: 'The server that holds "{folder}" went away before the work on the index was done.',
    hint: 'Run the command again; it works with and without a running server.',
  },
  SERVER_INDEX_UNPREPARED: {
    status: 409,
    message: 'Nothing was compared or changed: {store} does not hold what the schema asks for.',
    hint: '"lockstitch plan" shows what the next start changes. Start the application, or run "lockstitch index verify" without --dry-run, which changes it.',
  },
  SERVER_INDEX_UNREACHABLE: {
    status: 500,
    message: 'The index cannot be reached: {reason}',
    hint: 'That process does not answer: it is starting, stopping, or another command. Try again when it is done.',
  },
  SERVER_INDEX_IN_MEMORY: {
    status: 400,
    message: 'The index of "{folder}" is in memory: it lives and ends with its server.',
    hint: 'Give "data" a folder, or name one with --data; a restart rebuilds an index in memory.',
  },
  SERVER_BACKUP_UNREADABLE: {
    status: 400,
    message: '"{file}" cannot be restored: {reason}.',
    hint: 'Nothing was written. Take another backup; "lockstitch restore" reads what "lockstitch backup" wrote, whole.',
  },
  SERVER_BACKUP_EXISTS: {
    status: 409,
    message: 'There is something at "{path}" already, and nothing is overwritten.',
    hint: 'Name another place, or move it away first.',
  },
  SERVER_BACKUP_NO_DATA: {
    status: 400,
    message: 'There is nothing to copy: {reason}.',
    hint: 'Start the application once, or name its data folder with --data.',
  },
  SERVER_RESTORE_WHERE: {
    status: 400,
    message: 'The backup holds {what}, and its place is not known here.',
    hint: '{remedy}',
  },
  SERVER_DATABASE_NOT_EMPTY: {
    status: 409,
    message: 'The database {database} holds tables already, such as "{table}", and a restore overwrites nothing.',
    hint: 'Create a new database, and name it with --database or DATABASE_URL.',
  },
  SERVER_TOOL_MISSING: {
    status: 500,
    message: 'The program "{tool}" was not found; a database of PostgreSQL is copied by PostgreSQL\'s own tools.',
    hint: 'Install the client tools of PostgreSQL, at least of the version of the server, so that "{tool}" is in PATH.',
  },
  SERVER_TOOL_FAILED: { status: 500, message: '"{tool}" failed: {reason}' },
  SERVER_CONSOLE_NOT_BUILT: {
    status: 404,
    message: 'The console is not built.',
    hint: 'Run "node packages/console/build.ts" in the repository; "npm start" does it by itself.',
  },
  SERVER_GITHUB_NOT_CONFIGURED: {
    status: 503,
    message: 'Logging in with GitHub is not set up here.',
    hint: 'Make an OAuth app at GitHub, then set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET, or "github.clientId" and "github.clientSecret" in the configuration.',
  },
  SERVER_GITHUB_CODE_EMPTY: {
    status: 400,
    message: 'The code from GitHub is empty.',
    hint: 'Send the browser to GitHub first; GitHub sends it back with a "code" in the address.',
  },
  SERVER_GITHUB_CODE_REFUSED: {
    status: 401,
    message: 'GitHub refused the code: {reason}',
    hint: 'A code works once and for ten minutes; send the browser to GitHub again for a new one.',
  },
  SERVER_GITHUB_UNREACHABLE: {
    status: 502,
    message: 'GitHub did not answer as expected.',
    hint: 'Try again in a moment; the log says what went wrong.',
  },
  SERVER_INTERNAL: {
    status: 500,
    message: 'Something went wrong on our side. The log has it under {id}.',
    hint: 'Report it with that id.',
  },
  SERVER_CLUSTER_ADDRESS: {
    status: 400,
    message: 'The addresses of the search cluster cannot be used: {reason}.',
    hint: 'Write them as "https://host:9200", in search.nodes or, separated by commas, in SEARCH_URL.',
  },
  SERVER_CLUSTER_UNREACHABLE: {
    status: 503,
    message: 'No node of the search cluster answers: {reason}.',
    hint: 'Check that the cluster runs, that search.nodes (or SEARCH_URL) names its nodes, and that this machine reaches them.',
  },
  SERVER_CLUSTER_STALLED: {
    status: 503,
    message: 'The work on the search cluster does not go on: {reason}.',
    hint: 'Look after the cluster ("GET /_cluster/health"). What the indexes need is tried again in the background; "lockstitch index status" shows how far it is.',
  },
  SERVER_CLUSTER_STRANGE: {
    status: 500,
    message:
      'What answers at the address of the search cluster is neither Elasticsearch nor OpenSearch (status {status}).',
    hint: 'search.nodes (or SEARCH_URL) must name the HTTP port of the cluster, usually 9200, with "https:" where it wants TLS.',
  },
  SERVER_CLUSTER_BUSY: {
    status: 503,
    message: 'More than {limit} requests wait for the search cluster.',
    hint: 'Send the request again later. Where it lasts, the cluster is too slow for what is asked of it: see its load and its slow log.',
  },
  SERVER_CLUSTER_DENIED: {
    status: 503,
    message: 'The search cluster refuses the credentials at {node}, or they lack a right.',
    hint: 'Check search.auth. The account needs all rights on the indexes of search.prefix, and "GET /".',
  },
  SERVER_CLUSTER_UNTRUSTED: {
    status: 503,
    message: 'The certificate of the search cluster is not trusted: {reason}.',
    hint: 'Let search.ca name the certificates of the authority that signed it. The name in the address must be in the certificate, and its time must not be over.',
  },
  SERVER_CLUSTER_REFUSED: {
    status: 503,
    message: 'The search cluster answers {status} ({type}) to {method} {path}.',
    hint: 'Its own log says why. It is tried again; for 429 the cluster has too much to do.',
  },
  SERVER_CLUSTER_VERSION: {
    status: 500,
    message: '{found} is not supported as a search cluster.',
    hint: 'Supported are {supported}.',
  },
  SERVER_CLUSTER_UNFIT: {
    status: 500,
    message: 'The search cluster cannot score as it must: {reason}.',
    hint: 'Scripts of the language painless have to be allowed (script.allowed_types, script.allowed_contexts).',
  },
  SERVER_CLUSTER_DOCUMENT: {
    status: 500,
    message: 'The search cluster cannot take the document ({type}).',
    hint: 'Searches do not find it until it changes. Its key is in the same line of the log.',
  },
  SERVER_CLUSTER_LED: {
    status: 409,
    message: 'Another server, {leader}, writes to the index {index} on the search cluster.',
    hint: 'Run the command there.',
  },
  SERVER_CLUSTER_TAKEN: {
    status: 503,
    message:
      'Another application writes under the prefix "{prefix}" of the search cluster: one with another database, or with a copy of this one. Give this one a prefix of its own (SEARCH_PREFIX).',
    hint: 'The prefix is "search.prefix" of the configuration, too. If the other one shall end, stop it: this one goes on within 20 seconds.',
  },
  SERVER_INDEX_ON_CLUSTER: {
    status: 400,
    message: 'The indexes are on the search cluster, not in the data folder.',
    hint: 'Take a snapshot of the cluster, or let a server build them again.',
  },
  SERVER_CLUSTER_UNNAMED: {
    status: 500,
    message: 'The environment variable {variable}, which should hold a credential of the search cluster, is not set.',
    hint: 'Set it, or change search.auth.',
  },
  SERVER_CLUSTER_CA: {
    status: 500,
    message: 'The certificates in {file} cannot be read: {reason}.',
    hint: 'Check the path of search.ca.',
  },
  SERVER_CLUSTER_KIND: {
    status: 500,
    message: 'The search cluster is {found}, and the configuration says search.engine: "{wanted}".',
    hint: 'Set search.engine to "{found}", or let search.nodes (or SEARCH_URL) name another cluster.',
  },
  SERVER_CLUSTER_FENCED: {
    status: 503,
    message: 'Another server writes to the search cluster in place of this one ({alias}).',
    hint: 'That is right after a change of the server that writes. Where it repeats, two applications use one search.prefix.',
  },
  SERVER_CLUSTER_BEHIND: {
    status: 503,
    message: 'Not every node of the search cluster knows yet who writes to {generation}.',
    hint: 'It is tried again. Where it lasts, look for a node that does not follow the others ("GET /_cat/nodes", "GET /_cat/pending_tasks").',
  },
  SERVER_CLUSTER_SHAPED: {
    status: 500,
    message: 'The index {generation} is not as it was asked for: {what} was added.',
    hint: 'Exclude the prefix of the indexes from the index templates of the cluster.',
  },
});
