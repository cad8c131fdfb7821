// Data folders, for what keeps files beside an engine: the lock on one, its making, and why the system refuses it. Apart from the
// other public names, so that a command that opens no index need not load the engine.
// Before all others: it stops a Node that is too old.
import '@lockstitch/kernel';

export { folderFault } from './directory/folder-fault.ts';
export { lockFolder, type TakenLock } from './directory/folder-lock.ts';
export { makeFolder } from './directory/make-folder.ts';
export { keepForOwner, OWNER_FILE, OWNER_FOLDER } from './directory/owner-only.ts';
