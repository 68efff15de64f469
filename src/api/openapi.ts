/**
 * The table of paths as OpenAPI 3.1. Neighbours: `routes.ts` is the table, `schemas.ts` what it names; the server answers
 * `/api/openapi.json` with it. Nothing is said here that the server does not go by.
 */
import { toParamSchema, type Param, type Params } from './params.ts'
import { partsOf, ROUTE_NAMES, toRoute, type Route, type RouteName } from './routes.ts'
import { ref, type JsonSchema } from './schema.ts'
import { SCHEMAS } from './schemas.ts'
import { BODY_KINDS } from '../store/record.ts'

export function toOpenApi(version: string): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const name of ROUTE_NAMES) {
    const { method, path } = partsOf(name)
    paths[path] = { ...paths[path], [method.toLowerCase()]: toOperation(name, toRoute(name)) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice admin API',
      version,
      description: 'Exchanges, verdicts, policies and approvals of a gateway, by its admin token.',
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(ROUTE_NAMES.map((name) => toRoute(name).group))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: SCHEMAS,
    },
  }
}

function toOperation(name: RouteName, route: Route): JsonSchema {
  const { path } = partsOf(name)
  const parameters = [...toPathParameters(path), ...toQueryParameters(route.query ?? {})]
  return {
    operationId: toOperationId(name),
    summary: route.says,
    tags: [route.group],
    ...(parameters.length === 0 ? undefined : { parameters }),
    ...(route.body === undefined
      ? undefined
      : { requestBody: { required: true, content: json(ref(route.body)) } }),
    responses: {
      200: { description: 'Done', content: toContent(route.answer) },
      ...Object.fromEntries(
        [...(route.fails ?? []), 401, 405]
          .toSorted((a, b) => a - b)
          .map((status) => [
            status,
            { description: FAILURES[status] ?? 'Not done', content: json(ref('Error')) },
          ]),
      ),
    },
  }
}

const FAILURES: Readonly<Record<number, string>> = {
  400: 'Something is wrong with what was asked; the message says what is allowed',
  401: 'No admin token, or not the right one',
  404: 'It is not there',
  405: 'The path is there, for other methods',
  409: 'It is over already',
  503: 'Not possible now; the message says why and what to do',
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } })

function toContent(answer: Route['answer']): JsonSchema {
  if (typeof answer === 'string') return json(ref(answer))
  if ('as' in answer)
    return answer.as === 'bytes'
      ? { '*/*': { schema: { type: 'string', format: 'binary' } } }
      : json({ type: 'object' })
  const events = Object.entries(answer.events).map(([event, schema]) => ({
    type: 'object',
    properties: { event: { const: event }, data: ref(schema) },
    required: ['event', 'data'],
  }))
  return { 'text/event-stream': { schema: { type: 'array', items: { oneOf: events } } } }
}

function toPathParameters(path: string): readonly JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'kind' ? { type: 'string', enum: BODY_KINDS } : { type: 'string' },
  }))
}

const toQueryParameters = (params: Params): readonly JsonSchema[] =>
  Object.entries(params).map(([name, param]: [string, Param]) => ({
    name,
    in: 'query',
    description: param.says,
    schema: toParamSchema(param),
  }))

/** `getExchangesIdBlocks`. */
const toOperationId = (name: RouteName): string => {
  const { method, path } = partsOf(name)
  const words = path
    .slice('/api'.length)
    .split(/[^A-Za-z]+/)
    .filter((word) => word !== '')
  return (
    method.toLowerCase() +
    (words.length === 0
      ? 'Index'
      : words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join(''))
  )
}
