/**
 * Whether a tool takes the arguments that a person or a policy wrote. Neighbours: `stock/check-arguments` knows;
 * `server/` gives it to whoever takes edits, and may not lean on policies itself.
 */
export { checkArguments as checkEdit } from '../stock/check-arguments/check.ts'
