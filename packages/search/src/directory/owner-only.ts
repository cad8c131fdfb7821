// Who may read what is kept: its owner alone. A folder that was there before lets others look inside as often as not, so that
// each file says it for itself.

/** Mode of folders that hold data. */
export const OWNER_FOLDER = 0o700;
/** Mode of files that hold data. */
export const OWNER_FILE = 0o600;
