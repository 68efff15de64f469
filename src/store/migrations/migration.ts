/**
 * One step of the tables from a version to the next, in the words of both engines. Neighbours: one file each beside this
 * one, `all.ts` lists them, `migrate.ts` runs them. A step that was released is never changed; the next one is added.
 */
export interface Migration {
  /** The version that stands afterwards. */
  readonly version: number
  readonly sqlite: readonly string[]
  readonly postgres: readonly string[]
}
