/**
 * Which JSON Schema each API takes for tools and answers. Neighbours: the three `api-rules-*.ts`. Knows
 * nothing of requests around the schema.
 */
import { isObject, toList, type Check, type Json, type Report } from './api-rules.ts'

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

/** Where a schema holds others: by name, as a list, or one. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const ONES = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains']

type Visit = (schema: Json, path: string) => void

function walk(schema: unknown, path: string, report: Report, visit: Visit): void {
  if (typeof schema === 'boolean') return
  if (!isObject(schema)) return report(path, 'A schema should be an object or a boolean')
  visit(schema, path)
  const into = (inner: unknown, at: string): void => walk(inner, at, report, visit)
  for (const key of MAPS) {
    const map = schema[key]
    if (map === undefined) continue
    if (!isObject(map)) report(`${path}.${key}`, 'Should be an object of schemas')
    else for (const [name, inner] of Object.entries(map)) into(inner, `${path}.${key}.${name}`)
  }
  for (const key of LISTS) {
    if (schema[key] === undefined) continue
    if (!Array.isArray(schema[key]) || schema[key].length === 0)
      report(`${path}.${key}`, 'Should be a list of schemas')
    toList(schema[key]).forEach((inner, i) => into(inner, `${path}.${key}[${i}]`))
  }
  for (const key of ONES) if (schema[key] !== undefined) into(schema[key], `${path}.${key}`)
}

/** Draft 2020-12, as far as servers look. */
const wellFormed =
  (report: Report): Visit =>
  (schema, path) => {
    const { type, required, enum: values } = schema
    const types = Array.isArray(type) ? type : [type]
    if (type !== undefined && !types.every((name) => TYPES.includes(name as string)))
      report(`${path}.type`, `${JSON.stringify(type)} is not valid`)
    if (required !== undefined && !isTexts(required)) report(`${path}.required`, 'Names expected')
    if (values !== undefined && !Array.isArray(values)) report(`${path}.enum`, 'List expected')
    for (const key of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])
      if (schema[key] !== undefined && typeof schema[key] !== 'number')
        report(`${path}.${key}`, 'Number expected')
  }

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** `input_schema` of a tool at Anthropic. */
export const anthropicSchema: Check = (schema, path, report) => {
  if (!isObject(schema)) return report(path, 'Input should be an object')
  if (schema['type'] !== 'object') report(`${path}.type`, "Input should be 'object'")
  for (const key of ['anyOf', 'oneOf', 'allOf'])
    if (schema[key] !== undefined)
      report(path, 'input_schema does not support oneOf, allOf, or anyOf at the top level')
  const properties = schema['properties']
  for (const key of isObject(properties) ? Object.keys(properties) : [])
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(key))
      report(`${path}.properties`, `Property keys should match a pattern: "${key}"`)
  walk(schema, path, report, wellFormed(report))
}

const FORMATS = 'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' ')
const ENFORCED = new Set(
  (
    '$schema $id $ref $defs definitions type properties required additionalProperties items enum ' +
    'const anyOf allOf default description title format minItems'
  ).split(' '),
)

/** What Anthropic enforces: `output_config.format`, and tools with `strict`. */
export const anthropicEnforced: Check = (schema, path, report) => {
  if (!isObject(schema)) return report(path, 'Input should be an object')
  walk(schema, path, report, (inner, at) => {
    wellFormed(report)(inner, at)
    for (const key of Object.keys(inner))
      if (!ENFORCED.has(key)) report(`${at}.${key}`, 'Keyword is not supported')
    if (inner['type'] === 'object' && inner['additionalProperties'] !== false)
      report(at, "For 'object' type, 'additionalProperties' must be explicitly set to false")
    if (typeof inner['format'] === 'string' && !FORMATS.includes(inner['format']))
      report(`${at}.format`, 'Format is not supported')
    if (inner['minItems'] !== undefined && inner['minItems'] !== 0 && inner['minItems'] !== 1)
      report(`${at}.minItems`, 'Only 0 and 1 are supported')
  })
}

/** `parameters` of a function at OpenAI without `strict`. */
export const openAiSchema: Check = (schema, path, report) => {
  if (!isObject(schema)) return report(path, 'Input should be an object')
  if (schema['type'] !== 'object')
    report(path, `schema must be a JSON Schema of 'type: "object"', got ${String(schema['type'])}`)
  if (schema['properties'] === undefined) report(path, 'object schema missing properties')
  walk(schema, path, report, (inner, at) => {
    wellFormed(report)(inner, at)
    if (inner['type'] === 'array' && inner['items'] === undefined && !inner['prefixItems'])
      report(at, 'array schema missing items')
  })
}

const REFUSED_WHEN_STRICT = (
  'oneOf allOf not if then else dependentRequired dependentSchemas patternProperties ' +
  'propertyNames minProperties maxProperties unevaluatedProperties uniqueItems contains default'
).split(' ')

/** What OpenAI enforces: `strict` on tools and on `json_schema`. */
export const openAiStrict: Check = (schema, path, report) => {
  openAiSchema(schema, path, report)
  if (isObject(schema) && schema['anyOf'] !== undefined) report(path, 'anyOf at the top level')
  walk(schema, path, report, (inner, at) => {
    for (const key of REFUSED_WHEN_STRICT)
      if (inner[key] !== undefined) report(`${at}.${key}`, 'is not permitted in strict mode')
    if (inner['type'] !== 'object') return
    if (inner['additionalProperties'] !== false)
      report(at, "'additionalProperties' is required to be supplied and to be false")
    const names = isObject(inner['properties']) ? Object.keys(inner['properties']) : []
    const required = toList(inner['required'])
    for (const name of names)
      if (!required.includes(name))
        report(at, `'required' must include every key in properties. Missing '${name}'`)
    for (const name of required)
      if (!names.includes(name as string)) report(at, `Extra required key '${String(name)}'`)
  })
}

const GEMINI = new Set(
  (
    'type format title description nullable enum maxItems minItems properties required ' +
    'minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering ' +
    'default items minimum maximum'
  ).split(' '),
)

/** Gemini's own `Schema`: a field that it does not know is an error. */
export const geminiSchema: Check = (schema, path, report) => {
  openAiSchema(schema, path, report)
  walk(schema, path, report, (inner, at) => {
    for (const key of Object.keys(inner))
      if (!GEMINI.has(key)) report(`${at}.${key}`, `Unknown name "${key}": Cannot find field`)
    if (Array.isArray(inner['type'])) report(`${at}.type`, 'Proto field is not repeating')
    const names = isObject(inner['properties']) ? Object.keys(inner['properties']) : []
    for (const name of toList(inner['required']))
      if (!names.includes(name as string)) report(`${at}.required`, 'property is not defined')
  })
}
