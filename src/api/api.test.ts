/** What holds for the whole room. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { toOpenApi } from './openapi.ts'
import { ROUTE_NAMES, toRoute } from './routes.ts'
import { SCHEMAS } from './schemas.ts'

/** All files that are loaded with one, and what they import from outside. */
function loadedWith(file: string, seen = new Set<string>(), outside = new Set<string>()) {
  if (seen.has(file)) return { seen, outside }
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  for (const [, types, from = ''] of text.matchAll(
    /^(?:import|export)( type)?\b[^'"=(]*?(?:from )?'([^']+)'$/gm,
  )) {
    if (types !== undefined) continue
    if (from.startsWith('.')) loadedWith(join(dirname(file), from), seen, outside)
    else outside.add(from)
  }
  return { seen, outside }
}

test('the client loads nothing that a browser has not', () => {
  const { seen, outside } = loadedWith(fileURLToPath(new URL('client.ts', import.meta.url)))
  expect([...outside]).toEqual([])
  expect(seen.size).toBeGreaterThan(5)
  const rooms = new Set([...seen].map((file) => dirname(file).split('/').at(-1)))
  expect(rooms).toEqual(new Set(['api', 'base', 'sse']))
})

test('every schema that a path names is there, and every one that is there is named', () => {
  const text = JSON.stringify(toOpenApi('1.0.0'))
  const named = new Set(
    [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
  )
  expect(named).toEqual(new Set(Object.keys(SCHEMAS)))
})

test('every path says what it is in a sentence, and fails in ways that are described', () => {
  for (const name of ROUTE_NAMES) {
    const { says, fails = [], query, body } = toRoute(name)
    expect(says.length).toBeGreaterThan(5)
    if (body !== undefined) expect([name, fails.includes(400)]).toEqual([name, true])
    if (query !== undefined && !name.includes('{ticket}'))
      expect([name, fails.includes(400)]).toEqual([name, true])
  }
})
