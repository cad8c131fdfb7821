// Reads of what must be there, and of values of unknown types, as the kernel has them.
export { first, hasMembers, isList, last, listOf, lookUp, membersIn, only, required, textAt } from '@lockstitch/kernel';
