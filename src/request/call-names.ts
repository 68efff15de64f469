/**
 * What tools are called at a target, and back. Targets differ in the names they take, and none but Responses
 * has namespaces. The same tool gets the same name on every request, so that a history stays what it was.
 * Neighbours: each wire's request writer makes one; the answer's calls are read back by it (`translate/`).
 */
import { hashHex } from '../base/hash.ts'
import { fullName, type ToolDialect } from '../event/block.ts'
import type { Tool } from './tool.ts'

/** A tool as its client knows it. */
export interface ToolRef {
  readonly name: string
  readonly namespace?: string
}

export interface CallNames {
  /** The name at the target. Made for names that no tool has too: a history may call what is gone. */
  toTarget(tool: ToolRef): string
  /**
   * Whose call that is, and what its client takes it for; `undefined` where nobody declared it. `namespace`:
   * the one that the target said, where it has namespaces.
   */
  toSource(
    name: string,
    namespace?: string,
  ): (ToolRef & { readonly dialect: ToolDialect }) | undefined
  /** Whether every tool is a function under its own name, so that no call has to be read back. */
  readonly isPlain: boolean
  /** Two tools that would go by one name; a request with such a pair is refused. */
  readonly collision: { readonly first: ToolRef; readonly second: ToolRef } | undefined
}

export interface CallNamesOptions {
  readonly tools: readonly Tool[]
  readonly maxLength: number
  /** Whether the target has namespaces of its own. */
  readonly hasNamespaces?: boolean
}

const ILLEGAL = /[^a-zA-Z0-9_-]/g
const HASH_CHARS = 8

export function createCallNames(options: CallNamesOptions): CallNames {
  const { maxLength, hasNamespaces = false } = options
  const sources = new Map<string, ToolRef & { readonly dialect: ToolDialect }>()
  let collision: CallNames['collision']
  let isPlain = true

  function toTarget({ name, namespace }: ToolRef): string {
    const whole = hasNamespaces ? name : fullName({ name, namespace })
    const legal = whole.replace(ILLEGAL, '_')
    if (legal === whole && whole.length <= maxLength && whole !== '') return whole
    return `${legal.slice(0, maxLength - HASH_CHARS - 1)}_${hashHex(whole).slice(-HASH_CHARS)}`
  }

  /** No name at a target has brackets in it. */
  const toKey = (name: string, namespace: string | undefined): string =>
    hasNamespaces && namespace !== undefined ? JSON.stringify([namespace, name]) : name

  for (const tool of options.tools) {
    if (tool.type === 'server') continue
    const ref = toRef(tool)
    const name = toTarget(ref)
    const key = toKey(name, ref.namespace)
    const dialect = dialectOf(tool)
    const before = sources.get(key)
    if (before !== undefined) collision ??= { first: before, second: ref }
    else sources.set(key, { ...ref, dialect })
    const isInPlace = hasNamespaces || ref.namespace === undefined
    if (name !== ref.name || !isInPlace || dialect !== 'function') isPlain = false
  }

  return {
    toTarget,
    toSource: (name, namespace) => sources.get(toKey(name, namespace)),
    isPlain,
    collision,
  }
}

const toRef = ({ name, namespace }: Tool): ToolRef =>
  namespace === undefined ? { name } : { name, namespace }

export const dialectOf = (tool: Tool): ToolDialect =>
  tool.type === 'vendor' ? tool.dialect : tool.type === 'custom' ? 'custom' : 'function'
