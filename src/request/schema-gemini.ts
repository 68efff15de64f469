/**
 * JSON Schema → the part of it that Gemini's servers take: an OpenAPI schema with a type on every node, no
 * references, `nullable` for null, and a 400 for every keyword they do not know. Neighbours: `schema.ts`;
 * `schema-types.ts` knows the keywords of each type. Looks at keywords only where keywords stand: what is
 * named in `properties`, or is a value in `enum` and `default`, is the client's own and stays.
 */
import { isObject, toList, toText, type JsonObject } from '../base/json.ts'
import { toOneObject } from './schema-object.ts'
import { resolveRef } from './schema-ref.ts'
import type { CleanSchema } from './schema.ts'
import { hasLostKeyword, toTypes, writeTyped } from './schema-types.ts'

/** Deeper than any tool that people write, and than Gemini follows. */
const MAX_DEPTH = 32
/** References that fan out make a short schema endless. */
const MAX_NODES = 5000
/** A type that holds itself is written out this often. */
const MAX_REPEATS = 2

/** To make one object of alternatives is as much work as this many nodes, at the worst. */
const COST_OF_ONE = 100
/** What is written out may come to this many characters. */
const MAX_SIZE = 1_000_000

/** `root`: where references lead. */
export function toGemini(schema: JsonObject, root: JsonObject): CleanSchema {
  let nodes = 0
  let isChanged = false

  function clean(node: unknown, depth: number, refs: readonly string[]): JsonObject {
    if (!isObject(node)) return clean({}, depth, refs)
    if (depth > MAX_DEPTH || ++nodes > MAX_NODES) return stub(node)
    const ref = node['$ref']
    if (ref !== undefined) return cleanRef(node, ref, depth, refs)
    if (Array.isArray(node['allOf'])) return cleanAll(node, node['allOf'], depth, refs)
    const options = [...toList(node['anyOf']), ...toList(node['oneOf'])]
    if (options.length > 0) return cleanAny(node, options, depth, refs)
    return cleanPlain(node, depth, refs)
  }

  /** Where writing out ends: an object of any kind. */
  function stub(node: JsonObject): JsonObject {
    isChanged = true
    return { type: 'object', ...annotationsOf(node) }
  }

  function cleanRef(
    node: JsonObject,
    ref: unknown,
    depth: number,
    refs: readonly string[],
  ): JsonObject {
    const { $ref: _ref, ...own } = node
    const target = typeof ref === 'string' ? resolveRef(root, ref) : undefined
    const repeats = refs.filter((before) => before === ref).length
    if (typeof ref !== 'string' || !isObject(target) || repeats >= MAX_REPEATS) return stub(own)
    return clean({ ...target, ...own }, depth + 1, [...refs, ref])
  }

  /** All of them at once: one node with what each of them says. */
  function cleanAll(
    node: JsonObject,
    all: readonly unknown[],
    depth: number,
    refs: readonly string[],
  ): JsonObject {
    const { allOf: _all, ...own } = node
    let merged: JsonObject = own
    const followed = [...refs]
    for (const part of all) {
      if (!isObject(part)) continue
      const ref = toText(part['$ref'])
      const target = ref === undefined ? part : resolveRef(root, ref)
      if (!isObject(target) || followed.filter((before) => before === ref).length >= MAX_REPEATS) {
        isChanged = true
        continue
      }
      if (ref !== undefined) followed.push(ref)
      merged = join(merged, target)
    }
    return clean(merged, depth + 1, followed)
  }

  function join(first: JsonObject, second: JsonObject): JsonObject {
    for (const key of Object.keys(second))
      if (Object.hasOwn(first, key) && !JOINED.has(key) && first[key] !== second[key])
        isChanged = true
    const own = { ...toObjectOrNone(second['properties']), ...toObjectOrNone(first['properties']) }
    const required = [...toList(first['required']), ...toList(second['required'])]
    return {
      ...second,
      ...first,
      ...(Object.keys(own).length > 0 ? { properties: own } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(second['allOf'] === undefined ? {} : { allOf: second['allOf'] }),
    }
  }

  /** One of them. Gemini wants nothing beside `anyOf`, so what stands there goes into the options. */
  function cleanAny(
    node: JsonObject,
    options: readonly unknown[],
    depth: number,
    refs: readonly string[],
  ): JsonObject {
    const { anyOf: _any, oneOf: _one, ...own } = node
    if (isObject(own['properties'])) {
      const whole = toOneObject(node, root)
      isChanged = true
      nodes += COST_OF_ONE
      return clean(whole.ok ? whole.schema : own, depth + 1, refs)
    }
    const isNullable = options.some(isNull)
    const others = options.filter((option) => !isNull(option))
    const [only] = others
    const nullable = isNullable ? { nullable: true } : {}
    if (others.length <= 1)
      return {
        ...clean({ ...own, ...toObjectOrNone(only) }, depth + 1, refs),
        ...annotationsOf(own),
        ...nullable,
      }
    const typed = own['type'] === undefined ? {} : { type: own['type'] }
    return {
      ...annotationsOf(own),
      anyOf: others.map((option) => ({
        ...clean({ ...typed, ...toObjectOrNone(option) }, depth + 1, refs),
        ...nullable,
      })),
    }
  }

  function cleanPlain(node: JsonObject, depth: number, refs: readonly string[]): JsonObject {
    if (hasLostKeyword(node)) isChanged = true
    const { types, isNullable, isGuessed } = toTypes(node)
    if (isGuessed) isChanged = true
    const nullable = isNullable ? { nullable: true } : {}
    const each = types.map((type) => {
      const written = writeTyped(node, type, (child) => clean(child, depth + 1, refs))
      if (written.isChanged) isChanged = true
      return { ...written.schema, ...nullable }
    })
    const [first] = each
    return first !== undefined && each.length === 1
      ? { ...annotationsOf(node), ...first }
      : { ...annotationsOf(node), anyOf: each }
  }

  const written = clean(schema, 0, [])
  if (isLonger(written, MAX_SIZE))
    return {
      ok: false,
      message: `its schema is longer than ${MAX_SIZE} characters with its references written out: use fewer`,
    }
  return { ok: true, schema: written, isChanged }
}

const JOINED: ReadonlySet<string> = new Set([
  'properties',
  'required',
  'allOf',
  'description',
  'title',
])

/** Words about a node, which any node may have. */
function annotationsOf(node: JsonObject): JsonObject {
  const title = toText(node['title'])
  const description = toText(node['description'])
  const example = toList(node['examples'])[0] ?? node['example']
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(node['default'] === undefined ? {} : { default: node['default'] }),
    ...(example === undefined ? {} : { example }),
  }
}

function isNull(option: unknown): boolean {
  if (!isObject(option)) return false
  const values = toList(option['enum'])
  return (
    option['type'] === 'null' ||
    option['const'] === null ||
    (values.length === 1 && values[0] === null)
  )
}

const toObjectOrNone = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** Whether a value comes to more characters than that, in a loop: values may be nested as deep as they like. */
function isLonger(value: unknown, limit: number): boolean {
  const open: unknown[] = [value]
  let size = 0
  while (open.length > 0 && size <= limit) {
    const next = open.pop()
    size += typeof next === 'string' ? next.length + 2 : 4
    if (Array.isArray(next)) for (const item of next) open.push(item)
    else if (isObject(next))
      for (const [name, child] of Object.entries(next)) {
        size += name.length
        open.push(child)
      }
  }
  return size > limit
}
