/**
 * What the model may call. Neighbours: `request.ts`; `call-names.ts` says what a tool is called at a target.
 * Knows no wire.
 */
import type { JsonObject } from '../base/json.ts'
import type { ToolDialect } from '../event/block.ts'
import type { CacheMark } from './request.ts'

interface ToolBase {
  readonly name: string
  readonly namespace?: string
  readonly description?: string
  /** The client's own object, for its own wire. */
  readonly vendor?: JsonObject
  readonly cache?: CacheMark
}

export type Tool =
  | (ToolBase & {
      readonly type: 'function'
      /** JSON Schema; `undefined` where the client gave none. */
      readonly schema: JsonObject | undefined
      readonly isStrict: boolean | undefined
    })
  /** Free text, perhaps under a grammar. */
  | (ToolBase & {
      readonly type: 'custom'
      readonly grammar: { readonly syntax: string; readonly definition: string } | undefined
    })
  /**
   * Known to its vendor's models by a type and without a schema, and run by the client: `bash_20250124`,
   * `local_shell`, `apply_patch`, … `schema` is what it takes, for models that do not know it.
   */
  | (ToolBase & {
      readonly type: 'vendor'
      readonly dialect: ToolDialect
      readonly schema: JsonObject
    })
  /** Run by the provider: no other can. `kind` is the client's own word for it: `web_search_20250305`. */
  | (ToolBase & { readonly type: 'server'; readonly kind: string })

export type ToolChoice =
  | { readonly type: 'auto' | 'required' | 'none' }
  | { readonly type: 'tool'; readonly name: string; readonly namespace?: string }
  /** Only some of them. */
  | {
      readonly type: 'allowed'
      readonly isRequired: boolean
      readonly tools: readonly { readonly name: string; readonly namespace?: string }[]
    }
