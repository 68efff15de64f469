/** The tables of both engines: the same on each, made by whoever comes first, and brought up to date by themselves. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openPostgres } from '../../../src/store/postgres.ts'
import type { StoreLocation } from '../../../src/store/store.ts'
import type { TestEngine } from '../../support/engines.ts'
import { DAWN, flipCodec, sampleExchange, sampleVerdict } from '../../support/records.ts'

async function run(
  place: StoreLocation,
  text: string,
): Promise<readonly Record<string, unknown>[]> {
  if (place.type === 'sqlite') {
    const file = new DatabaseSync(place.file)
    try {
      if (!text.startsWith('select')) file.exec(text)
      return text.startsWith('select')
        ? (file.prepare(text).all() as Record<string, unknown>[])
        : []
    } finally {
      file.close()
    }
  }
  const client = new pg.Client({ connectionString: place.url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

export function migrationsSuite(engine: TestEngine): void {
  const { name } = engine

  test('several that open a new place at once make it once', async () => {
    const place = await engine.place()
    const stores = await Promise.all(Array.from({ length: 5 }, () => engine.open({}, place)))
    await Promise.all(stores.map((store, i) => store.write([sampleExchange(`x${i}`)])))
    expect(await stores[0]?.count({}, 10)).toBe(5)
  })

  test('a store of the first version is brought up to date with all that is in it', async () => {
    const place = await engine.place()
    if (place.type === 'sqlite') rmSync(dirname(place.file), { recursive: true, force: true })
    const folder = place.type === 'sqlite' ? dirname(place.file) : ''
    if (folder !== '') (await import('node:fs')).mkdirSync(folder, { recursive: true })
    await run(place, readFileSync(`test/fixtures/records/version-1.${name}.sql`, 'utf8'))
    const store = await engine.open({}, place)
    expect(await store.find('first')).toMatchObject({ id: 'first', model: 'claude-sonnet-4-5' })
    const body = await store.body('first', 'upstream')
    expect(new TextDecoder().decode(body?.bytes)).toBe('event: ping\n\n')
    expect((await store.list({ text: 'fixture', tool: 'Bash' })).items.map(({ id }) => id)).toEqual(
      ['first'],
    )
    expect(await store.verify()).toMatchObject({ links: 1, broken: undefined })
    const version = { policy: 'p', version: 'v', use: 'rules', isShadow: false, firstSeenAt: DAWN }
    await store.notePolicyVersions([version])
    expect(await store.policyVersions()).toEqual([version])
    await store.write([sampleExchange('second', {}, { verdicts: [sampleVerdict()] })])
    expect(await store.verify()).toMatchObject({ links: 2, broken: undefined })
  })

  test('a store of a newer version is refused with what to do', async () => {
    const place = await engine.place()
    const store = await engine.open({}, place)
    await store.close()
    await run(place, "update meta set value = '99' where name = 'version'")
    const newer = /they are of version 99, this program knows versions up to \d+; use the newer/
    await expect(engine.open({}, place)).rejects.toThrow(newer)
    await expect(engine.open({ isReadOnly: true }, place)).rejects.toThrow(newer)
  })

  test('who only reads makes nothing, and says when there is nothing', async () => {
    const place = await engine.place()
    await expect(engine.open({ isReadOnly: true }, place)).rejects.toThrow(
      /^Cannot (open|read) the records/,
    )
    const store = await engine.open({}, place)
    await store.write([sampleExchange('a')])
    const reader = await engine.open({ isReadOnly: true }, place)
    expect((await reader.list({})).items.length).toBe(1)
    if (name === 'sqlite')
      await expect(reader.write([sampleExchange('b')])).rejects.toThrow(/readonly|read-only/)
    await store.close()
    await run(place, "update meta set value = '1' where name = 'version'")
    await expect(engine.open({ isReadOnly: true }, place)).rejects.toThrow('start the gateway once')
  })

  test('two that open a new place at once agree on what the codec needs', async () => {
    const place = await engine.place()
    const seen: (string | undefined)[] = []
    const codec = (own: string) => ({
      ...flipCodec(),
      open(kept: string | undefined) {
        seen.push(kept ?? own)
        return kept ?? own
      },
    })
    await Promise.all(
      ['one', 'two', 'three'].map((own) => engine.open({ codec: codec(own) }, place)),
    )
    const last = seen.at(-1)
    const before = seen.length
    await engine.open({ codec: codec('four') }, place)
    expect(seen.slice(before)).toEqual([last])
  })
}

/** Both are there. */
export function driftSuite(sqlite: TestEngine, postgres: TestEngine): void {
  test('the tables of both engines have the same columns of the same kinds', async () => {
    const file = await sqlite.place()
    const base = await postgres.place()
    await sqlite.open({}, file)
    await postgres.open({}, base)
    const ofFile = await run(
      file,
      `select m.name as "table", c.name as "column", c.type as kind, c."notnull" or c.pk > 0 as filled
       from sqlite_master as m, pragma_table_info(m.name) as c
       where m.type = 'table' and m.name not like 'texts%' order by 1, 2`,
    )
    const ofBase = await run(
      base,
      `select table_name as "table", column_name as "column", data_type as kind, is_nullable = 'NO' as filled
       from information_schema.columns
       where table_schema = 'public' and table_name not like 'texts%' order by 1, 2`,
    )
    const KINDS: Readonly<Record<string, string>> = {
      integer: 'whole',
      bigint: 'whole',
      real: 'number',
      'double precision': 'number',
      text: 'text',
      blob: 'bytes',
      bytea: 'bytes',
    }
    const toLines = (rows: typeof ofFile) =>
      rows
        .map(
          (row) =>
            `${String(row['table'])}.${String(row['column'])} ${KINDS[String(row['kind']).toLowerCase()]} ${Boolean(row['filled'])}`,
        )
        .toSorted()
    expect(toLines(ofFile).length).toBeGreaterThan(60)
    expect(toLines(ofFile).filter((line) => line.includes('undefined'))).toEqual([])
    // What several gateways share is only there where several can be.
    const alone = new Set(['gateways', 'news', 'ledger', 'tickets'])
    const common = ofBase.filter((row) => !alone.has(String(row['table'])))
    expect(toLines(common)).toEqual(toLines(ofFile))
    const indexes = async (place: StoreLocation, text: string) =>
      (await run(place, text))
        .map((row) => String(row['name']))
        .filter((one) => /_by_/.test(one) && !/^(texts|news|tickets|gateways|ledger)_/.test(one))
        .toSorted()
    expect(
      await indexes(base, "select indexname as name from pg_indexes where schemaname = 'public'"),
    ).toEqual(await indexes(file, "select name from sqlite_master where type = 'index'"))
  })
}

export function fileSuite(engine: TestEngine): void {
  test.skipIf(process.platform === 'win32')(
    'is for its owner alone, and its folder too',
    async () => {
      const place = (await engine.place()) as Extract<StoreLocation, { type: 'sqlite' }>
      const store = await engine.open({}, place)
      await store.write([sampleExchange('a')])
      expect(statSync(dirname(place.file)).mode & 0o777).toBe(0o700)
      for (const file of [place.file, `${place.file}-wal`, `${place.file}-shm`])
        expect(statSync(file).mode & 0o777).toBe(0o600)
    },
  )

  test('is not opened where it is something else, and left as it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-other-'))
    const file = join(folder, 'notes.txt')
    writeFileSync(file, 'These are my notes and not a database. '.repeat(200))
    await expect(engine.open({}, { type: 'sqlite', file })).rejects.toThrow(
      /^Cannot open the records in ".*notes.txt": file is not a database$/,
    )
    expect(readFileSync(file, 'utf8')).toContain('my notes')
    rmSync(folder, { recursive: true })
  })

  test('a place of Postgres that is no address is refused', async () => {
    await expect(engine.open({}, { type: 'postgres', url: 'mysql://x' })).rejects.toThrow(
      'a Postgres is named as "postgres://…"',
    )
  })
}

export function serverSuite(engine: TestEngine): void {
  test('a query that is not answered in time fails, and nobody waits behind it', async () => {
    const { url } = (await engine.place()) as Extract<StoreLocation, { type: 'postgres' }>
    const { db, transact, close } = openPostgres({ url, queryMs: 300 })
    const before = performance.now()
    const stuck = transact((writing) => sql`select pg_sleep(20)`.execute(writing))
    await expect(stuck).rejects.toThrow(/timeout|Connection terminated/)
    expect((await sql<{ x: number }>`select 1 as x`.execute(db)).rows).toEqual([{ x: 1 }])
    expect(performance.now() - before).toBeLessThan(10_000)
    await close()
  })
}
