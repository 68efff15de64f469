/**
 * A call to the admin API, held to the API's own description: its path, its query, its body and its answer. Knows the
 * description alone, and nothing of how it was made.
 */
import { Validator, type Schema } from '@cfworker/json-schema'

export interface Described {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content: Content }>>
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

export interface Checked {
  readonly operationId: string
  readonly status: number
}

export interface Exchange {
  readonly method: string
  readonly url: string
  readonly body: unknown
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Throws where it is not as described. */
export function checkCall(described: Described, one: Exchange): Checked {
  const { pathname, searchParams } = new URL(one.url)
  const operation = findOperation(described, one.method, pathname)
  if (operation === undefined) {
    if (one.status === 404 || one.status === 405) return { operationId: '', status: one.status }
    throw new Error(`${one.method} ${pathname} is not described and answers ${one.status}`)
  }
  const isRefused = one.status === 400
  if (!isRefused) checkQuery(described, operation, searchParams)
  if (!isRefused && one.body !== undefined)
    check(described, operation.requestBody?.content['application/json']?.schema, one.body)
  const answer = operation.responses[String(one.status)]
  if (answer === undefined)
    throw new Error(`${operation.operationId} answers ${one.status}, which is not described`)
  checkAnswer(described, answer.content, one)
  return { operationId: operation.operationId, status: one.status }
}

function checkAnswer(described: Described, content: Content, { type, text }: Exchange): void {
  if (content['*/*'] !== undefined) return
  const [media = ''] = type.split(';')
  const schema = content[media]?.schema
  if (media !== 'text/event-stream') return check(described, schema, JSON.parse(text))
  const events = [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)]
  check(
    described,
    schema,
    events.map(([, event, data = '']) => ({ event, data: JSON.parse(data) as unknown })),
  )
}

function checkQuery(described: Described, { parameters = [] }: Operation, query: URLSearchParams) {
  for (const [name, value] of query) {
    const known = parameters.find((one) => one.in === 'query' && one.name === name)
    if (known === undefined) throw new Error(`The parameter ${name} is not described`)
    // An address knows texts alone: what looks like a number may be one.
    const isValue = /^(?:\d+|true|false)$/.test(value) && known.schema.type !== 'string'
    check(described, known.schema, isValue ? JSON.parse(value) : value)
  }
}

function findOperation(
  { paths }: Described,
  method: string,
  pathname: string,
): Operation | undefined {
  const fits = (path: string): boolean =>
    new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname)
  const path = paths[pathname] === undefined ? Object.keys(paths).find(fits) : pathname
  return path === undefined ? undefined : paths[path]?.[method.toLowerCase()]
}

function check({ components }: Described, schema: Schema | undefined, value: unknown): void {
  if (schema === undefined) throw new Error('There is no schema for it')
  const found = new Validator({ ...schema, components } as Schema, '2020-12', false).validate(value)
  if (found.valid) return
  const [first] = found.errors.toReversed()
  throw new Error(
    `${first?.instanceLocation}: ${first?.error} in ${JSON.stringify(value).slice(0, 400)}`,
  )
}
