/** The contract of the records on both engines: what is written comes back, found by everything that can be asked. */
import { beforeEach, expect, test } from 'vitest'
import type { ExchangeQuery } from '../../../src/store/query.ts'
import type { RecordStore } from '../../../src/store/store.ts'
import type { TestEngine } from '../../support/engines.ts'
import {
  DAWN,
  sampleExchange,
  samplePiece,
  sampleRow,
  sampleVerdict,
} from '../../support/records.ts'

export function storeSuite(engine: TestEngine): void {
  let store: RecordStore
  beforeEach(async () => {
    store = await engine.open()
  })
  const ids = async (query: ExchangeQuery): Promise<readonly string[]> =>
    (await store.list(query)).items.map(({ id }) => id)

  test('an exchange comes back as it was written', async () => {
    const bytes = 'event: message_start\n\n'
    await store.write([
      sampleExchange(
        'a',
        { fault: { kind: 'cut', message: 'It ended' }, dropped: ['sent'] },
        { pieces: [samplePiece(bytes)], tools: [{ name: 'Bash', count: 2 }] },
      ),
    ])
    const row = sampleRow('a', { fault: { kind: 'cut', message: 'It ended' }, dropped: ['sent'] })
    const tools = [{ name: 'Bash', count: 2 }]
    expect(await store.find('a')).toEqual({ ...row, tools, bodies: { upstream: bytes.length } })
    expect(await store.find('request-a')).toEqual(await store.find('a'))
    expect(await store.find('b')).toBeUndefined()
    const { requestHeaders, upstreamHeaders, attempts, losses, query, ...rest } = row
    expect([requestHeaders, upstreamHeaders, query].length).toBe(3)
    expect((await store.list({})).items).toEqual([
      {
        ...rest,
        attemptCount: attempts.length,
        lossCount: losses.length,
        tools,
        verdicts: {},
        shadowVerdicts: {},
      },
    ])
  })

  test('a request id that came twice finds the newest', async () => {
    await store.write([
      sampleExchange('new', { requestId: 'same', startedAt: DAWN + 5 }),
      sampleExchange('old', { requestId: 'same' }),
    ])
    expect((await store.find('same'))?.id).toBe('new')
  })

  test('a body is put together from its pieces, with its times', async () => {
    await store.write([
      { type: 'piece', exchangeId: 'a', piece: samplePiece('one ', { times: [3, 10, 1, 20] }) },
    ])
    await store.write([
      { type: 'piece', exchangeId: 'a', piece: samplePiece('two ', { seq: 1, times: [4, 30] }) },
      sampleExchange(
        'a',
        {},
        {
          pieces: [
            samplePiece('three', { seq: 2, times: [5, 1_000_000] }),
            samplePiece('{"model":"m"}', { kind: 'request', times: [] }),
          ],
        },
      ),
    ])
    const body = await store.body('a', 'upstream')
    expect(text(body?.bytes)).toBe('one two three')
    expect(body?.times).toEqual([3, 10, 1, 20, 4, 30, 5, 1_000_000])
    expect(text((await store.body('a', 'request'))?.bytes)).toBe('{"model":"m"}')
    expect(await store.body('a', 'delivered')).toBeUndefined()
    expect((await store.find('a'))?.bodies).toEqual({ upstream: 13, request: 13 })
  })

  test('a body ends before a piece that is missing', async () => {
    await store.write([
      sampleExchange('a', {}, { pieces: [samplePiece('one'), samplePiece('three', { seq: 2 })] }),
    ])
    expect(text((await store.body('a', 'upstream'))?.bytes)).toBe('one')
  })

  test('bodies of many come in the order in which they are asked for', async () => {
    const names = Array.from({ length: 450 }, (_, i) => `x${i}`)
    await store.write(
      names.map((id) =>
        sampleExchange(
          id,
          {},
          {
            pieces: [samplePiece(`answer ${id}`), samplePiece(`ask ${id}`, { kind: 'request' })],
          },
        ),
      ),
    )
    const asked = [...names.toReversed(), 'unknown']
    const kept = await store.bodies(asked, ['upstream', 'delivered'])
    expect(kept.map(({ id }) => id)).toEqual(asked)
    expect(kept.map(({ bodies }) => text(bodies.upstream?.bytes))).toEqual([
      ...names.toReversed().map((id) => `answer ${id}`),
      undefined,
    ])
    expect(kept.every(({ bodies }) => bodies.request === undefined)).toBe(true)
  })

  test('what is written twice is there once', async () => {
    const items = [
      { type: 'piece', exchangeId: 'a', piece: samplePiece('left', { kind: 'delivered' }) },
      { type: 'piece', exchangeId: 'a', piece: samplePiece('came') },
      sampleExchange(
        'a',
        {},
        {
          verdicts: [sampleVerdict(), sampleVerdict({ type: 'pass' })],
          without: ['delivered'],
          tools: [{ name: 'Bash', count: 1 }],
          text: 'some words',
        },
      ),
      { type: 'verdicts', exchangeId: 'a', at: 2, verdicts: [sampleVerdict({ isShadow: true })] },
    ] as const
    await store.write(items)
    await store.write(items)
    await store.write([items[2], items[2], items[3]])
    expect(await store.count({}, 100)).toBe(1)
    expect((await store.verdicts({})).items.map(({ at }) => at)).toEqual([2, 1, 0])
    expect((await store.find('a'))?.bodies).toEqual({ upstream: 4 })
    expect(await store.verify()).toMatchObject({ links: 3, broken: undefined })
    expect(await ids({ text: 'words' })).toEqual(['a'])
  })

  test('nothing is there of a batch that could not be written', async () => {
    const broken = sampleExchange(
      'b',
      {},
      {
        pieces: [{ ...samplePiece('x'), seq: Number.NaN }],
      },
    )
    await expect(store.write([sampleExchange('a'), broken])).rejects.toThrow(/seq|bigint/)
    expect(await store.count({}, 10)).toBe(0)
    await store.write([sampleExchange('a')])
    expect(await ids({})).toEqual(['a'])
  })

  test('many exchanges of one millisecond all get their place', async () => {
    const names = Array.from({ length: 600 }, (_, i) => `same-${i}`)
    for (let from = 0; from < names.length; from += 200)
      await store.write(names.slice(from, from + 200).map((id) => sampleExchange(id)))
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.list({ limit: 70, cursor })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.next
    } while (cursor !== undefined)
    expect(seen.toSorted()).toEqual(names.toSorted())
  })

  test('pages go on where they stopped, whatever is written meanwhile', async () => {
    const names = Array.from({ length: 25 }, (_, i) => `x${String(i).padStart(2, '0')}`)
    await store.write(names.map((id, i) => sampleExchange(id, { startedAt: DAWN + i })))
    for (const isOldestFirst of [false, true]) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await store.list({ limit: 10, cursor, isOldestFirst, until: DAWN + 25 })
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.next
        await store.write([
          sampleExchange(`new-${isOldestFirst}-${seen.length}`, { startedAt: DAWN + 50 }),
        ])
      } while (cursor !== undefined)
      expect(seen).toEqual(isOldestFirst ? names : names.toReversed())
    }
  })

  test('a page and a cursor that cannot be say what is wrong', async () => {
    await expect(store.list({ limit: 0 })).rejects.toThrow('Cannot make a page of 0')
    await expect(store.list({ limit: 1001 })).rejects.toThrow('from 1 to 1000')
    for (const cursor of ['', 'x', '1.2', '-1', '9'.repeat(20), "1' or 1=1"])
      await expect(store.list({ cursor })).rejects.toThrow('Cannot go on from this cursor')
    await expect(store.verdicts({ cursor: '1' })).rejects.toThrow('Cannot go on from this cursor')
  })

  test('exchanges are found by everything that can be asked', async () => {
    await store.write([
      sampleExchange(
        'a',
        { startedAt: DAWN },
        {
          verdicts: [sampleVerdict(), sampleVerdict({ policy: 'judge', type: 'pass' })],
          tools: [
            { name: 'Bash', count: 1 },
            { name: 'mcp__files__read', count: 3 },
          ],
        },
      ),
      sampleExchange(
        'b',
        {
          startedAt: DAWN + 1_000,
          model: 'gpt-5.5',
          upstreamModel: 'qwen3',
          answerModel: 'qwen3-coder',
          route: 'gpt-*',
          upstream: 'local',
          key: 'other',
          client: 'codex_cli_rs',
          wire: 'openai-responses',
          conversation: 'session-2',
          status: 502,
          outcome: 'upstream-error',
        },
        { verdicts: [sampleVerdict({ isShadow: true, policy: 'new_rules', type: 'halt' })] },
      ),
      sampleExchange('c', {
        startedAt: DAWN + 2_000,
        key: undefined,
        client: undefined,
        conversation: undefined,
        outcome: 'client-left',
      }),
    ])
    const asked: readonly (readonly [ExchangeQuery, readonly string[]])[] = [
      [{}, ['c', 'b', 'a']],
      [{ since: DAWN + 1_000 }, ['c', 'b']],
      [{ until: DAWN + 1_000 }, ['a']],
      [{ since: DAWN + 0.5, until: DAWN + 1_000.5 }, ['b']],
      [{ model: 'gpt-5.5' }, ['b']],
      [{ model: 'qwen3' }, ['b']],
      [{ model: 'qwen3-*' }, ['b']],
      [{ model: '*sonnet*' }, ['c', 'a']],
      [{ model: 'CLAUDE*' }, []],
      [{ model: 'gpt_5*' }, []],
      [{ model: 'gpt-?.5*' }, []],
      [{ model: 'gpt%*' }, []],
      [{ model: '[g]*' }, []],
      [{ model: '\\*' }, []],
      [{ route: 'gpt-*' }, ['b']],
      [{ upstream: 'local' }, ['b']],
      [{ key: 'team' }, ['a']],
      [{ client: 'codex*' }, ['b']],
      [{ wire: 'openai-responses' }, ['b']],
      [{ conversation: 'session-1' }, ['a']],
      [{ status: 200 }, ['c', 'a']],
      [{ status: 'error' }, ['c', 'b']],
      [{ outcome: 'client-left' }, ['c']],
      [{ tool: 'Bash' }, ['a']],
      [{ tool: 'mcp__*' }, ['a']],
      [{ tool: 'mcp_*', upstream: 'local' }, []],
      [{ tool: 'bash' }, []],
      [{ hasTools: true }, ['a']],
      [{ hasTools: false }, ['c', 'b']],
      [{ verdict: 'deny' }, ['a']],
      [{ verdict: 'deny', policy: 'judge' }, []],
      [{ verdict: 'pass', policy: 'judge' }, ['a']],
      [{ verdict: 'halt' }, []],
      [{ verdict: 'halt', isShadow: true }, ['b']],
      [{ policy: 'new_rules' }, ['b']],
      [{ policy: '*rules' }, ['b', 'a']],
      [{ policy: '*rules', isShadow: false }, ['a']],
      [{ isShadow: true }, ['b']],
      [{ isShadow: true, tool: 'Bash' }, []],
      [{ verdict: 'deny', tool: 'Bash', key: 'team', since: DAWN }, ['a']],
    ]
    for (const [query, found] of asked) {
      expect([query, await ids(query)]).toEqual([query, found])
      expect([query, await store.count(query, 100)]).toEqual([query, found.length])
    }
    expect(await store.count({}, 2)).toBe(2)
    expect((await store.list({ conversation: 'session-1' })).items[0]).toMatchObject({
      verdicts: { deny: 1, pass: 1 },
      shadowVerdicts: {},
    })
    expect((await store.list({ upstream: 'local' })).items[0]).toMatchObject({
      verdicts: {},
      shadowVerdicts: { halt: 1 },
    })
  })

  test('words are found in any case, with and without accents, the last by its beginning', async () => {
    await store.write([
      sampleExchange(
        'a',
        { startedAt: DAWN },
        { text: 'Bitte den Café-Besuch löschen: git push --force' },
      ),
      sampleExchange(
        'b',
        { startedAt: DAWN + 1 },
        { text: 'get_weather("Zürich") 你好世界 \0 O\'Reilly' },
      ),
      sampleExchange(
        'c',
        { startedAt: DAWN + 2 },
        { tools: [{ name: 'Bash', count: 1 }], text: 'GIT PULL' },
      ),
      sampleExchange('d', { startedAt: DAWN + 3 }),
    ])
    const asked: readonly (readonly [string, readonly string[]])[] = [
      ['git', ['c', 'a']],
      ['git push', ['a']],
      ['push git', ['a']],
      ['git pus', ['a']],
      ['git pu', []],
      ['pu git', []],
      ['cafe', ['a']],
      ['CAFÉ besuch', ['a']],
      ['get_weather', ['b']],
      ['zurich', ['b']],
      ['世界', ['b']],
      ["o'reilly", ['b']],
      ['"git" OR nothing', []],
      ["git' | x", []],
      ['pull ', ['c']],
      ['pul ', []],
      ['pul', ['c']],
    ]
    for (const [words, found] of asked)
      expect([words, await ids({ text: words })]).toEqual([words, found])
    expect(await ids({ text: 'git', tool: 'Bash' })).toEqual(['c'])
    expect(await ids({ text: 'git', hasTools: false })).toEqual(['a'])
    expect((await store.list({ text: 'git', limit: 1 })).next).toBeDefined()
    expect((await store.verdicts({ text: 'git' })).items).toEqual([])
    await expect(store.list({ text: ' -- ' })).rejects.toThrow('without letters or digits')
  })

  test('text that is due comes later, for the newest first', async () => {
    await store.write([
      sampleExchange('a', { startedAt: DAWN }, { isTextDue: true }),
      sampleExchange('b', { startedAt: DAWN + 1, gateway: 'two' }, { isTextDue: true }),
      sampleExchange('c', { startedAt: DAWN + 2 }, { isTextDue: true, text: 'known' }),
    ])
    const due = async (which: object) =>
      (await store.textDue({ limit: 10, ...which })).map(({ id }) => id)
    expect(await due({})).toEqual(['b', 'a'])
    expect(await due({ gateway: 'one' })).toEqual(['a'])
    expect(await due({ before: DAWN + 1 })).toEqual(['a'])
    expect(await store.textDue({ limit: 1 })).toEqual([
      {
        id: 'b',
        wire: 'anthropic-messages',
        upstreamWire: 'anthropic-messages',
        isStream: true,
        record: 'bytes',
        storedBytes: expect.any(Number) as number,
      },
    ])
    await store.setTexts([
      { id: 'a', text: 'words of a' },
      { id: 'b', text: '' },
      { id: 'gone', text: 'x' },
    ])
    expect(await due({})).toEqual([])
    expect(await ids({ text: 'words' })).toEqual(['a'])
    await store.setTexts([{ id: 'a', text: 'others' }])
    expect(await ids({ text: 'words' })).toEqual([])
    expect(await ids({ text: 'others' })).toEqual(['a'])
  })

  test('without search no words are kept, and asking for them says so', async () => {
    const place = await engine.place()
    const bare = await engine.open({ hasSearch: false }, place)
    await bare.write([
      sampleExchange('a', {}, { text: 'words' }),
      sampleExchange('b', {}, { isTextDue: true }),
    ])
    await bare.setTexts([{ id: 'b', text: 'words' }])
    await expect(bare.list({ text: 'words' })).rejects.toThrow('search of this store is off')
    expect(await bare.textDue({ limit: 10 })).toEqual([])
    const again = await engine.open({}, place)
    expect((await again.list({ text: 'words' })).items).toEqual([])
  })

  test('nothing that a client chose makes a row that the engine refuses', async () => {
    const odd = [
      '\0',
      'a\0b',
      '\ud800',
      'x'.repeat(10_000),
      '🙂'.repeat(3_000),
      "'; drop table exchanges; --",
    ]
    for (const [i, one] of odd.entries()) {
      const row = {
        requestId: one,
        model: one,
        upstreamModel: one,
        answerModel: one,
        answerId: one,
        conversation: one,
        client: one,
        key: one,
        route: one,
        upstream: one,
        gateway: one,
        traceId: one,
        endpoint: one,
        query: one,
        requestHeaders: { [one]: one },
        durationMs: [Number.NaN, -1, Infinity, 1e300][i % 4] ?? 0,
        startedAt: [DAWN + 0.5, -5, 1e20, Number.NaN][i % 4] ?? 0,
        status: 1.5,
        cost: -Infinity,
        usage: { inputTokens: 1e300, outputTokens: Number.NaN },
      }
      const verdicts = [
        sampleVerdict({
          policy: one,
          version: one,
          reason: one,
          tags: [one],
          by: one,
          original: one,
        }),
      ]
      const tools = [
        { name: one, count: 1e300 },
        { name: one, count: 1 },
      ]
      await store.write([sampleExchange(`odd-${i}`, row, { verdicts, tools, text: one })])
      expect((await store.find(one))?.id).toBe(`odd-${i}`)
      expect(await ids({ model: one })).toContain(`odd-${i}`)
      expect(await ids({ tool: one })).toContain(`odd-${i}`)
    }
    expect(await store.count({}, 100)).toBe(odd.length)
    expect(await store.verify()).toMatchObject({ links: odd.length, broken: undefined })
    expect((await store.conversations({})).items.length).toBeGreaterThan(0)
    expect((await store.stats({})).length).toBeGreaterThan(0)
  })

  test('verdicts come back whole, in pages, with what they are about', async () => {
    const verdict = sampleVerdict({ by: 'ada', delivered: 'denied', type: 'replace' })
    const onRequest = sampleVerdict({
      block: undefined,
      details: {},
      original: undefined,
      reason: undefined,
      tags: [],
      version: undefined,
    })
    await store.write([
      sampleExchange('a', { startedAt: DAWN }, { verdicts: [verdict, onRequest] }),
      sampleExchange(
        'b',
        { startedAt: DAWN + 1, model: 'gpt-5' },
        {
          verdicts: [
            sampleVerdict({ block: { type: 'tool-call', id: 'x', index: 3, name: 'Write' } }),
          ],
        },
      ),
    ])
    await store.write([
      { type: 'verdicts', exchangeId: 'a', at: 2, verdicts: [sampleVerdict({ isShadow: true })] },
    ])
    const all = (await store.verdicts({ isOldestFirst: true })).items
    expect(all.map((one) => [one.exchangeId, one.at, one.seq])).toEqual([
      ['a', 0, 1],
      ['a', 1, 2],
      ['a', 2, 4],
      ['b', 0, 3],
    ])
    expect(all[0]).toMatchObject({ ...verdict, decidedAt: DAWN + 812, previous: '0'.repeat(64) })
    expect(all[1]).toMatchObject(onRequest)
    expect(all[1]?.previous).toBe(all[0]?.hash)
    const first = await store.verdicts({ limit: 3 })
    expect(first.items.map(({ seq }) => seq)).toEqual([3, 4, 2])
    const second = await store.verdicts({ limit: 3, cursor: first.next })
    expect(second.items.map(({ seq }) => seq)).toEqual([1])
    expect(second.next).toBeUndefined()
    const seqs = async (query: object) => (await store.verdicts(query)).items.map(({ seq }) => seq)
    expect(await seqs({ exchangeId: 'a' })).toEqual([4, 2, 1])
    expect(await seqs({ tool: 'Write' })).toEqual([3])
    expect(await seqs({ model: 'gpt-*' })).toEqual([3])
    expect(await seqs({ verdict: 'deny' })).toEqual([3, 2])
    expect(await seqs({ isShadow: true })).toEqual([4])
    expect(await seqs({ until: DAWN + 1, policy: 'rules', verdict: 'replace' })).toEqual([1])
  })

  test('a name of a policy or a note is kept once, the last word holds', async () => {
    const version = {
      policy: 'rules',
      version: 'v1',
      use: 'rules',
      isShadow: false,
      firstSeenAt: DAWN,
    }
    await store.notePolicyVersions([version])
    await store.notePolicyVersions([
      { ...version, firstSeenAt: DAWN + 5 },
      { ...version, version: 'v2', isShadow: true, firstSeenAt: DAWN + 9 },
    ])
    expect(await store.policyVersions()).toEqual([
      { ...version, version: 'v2', isShadow: true, firstSeenAt: DAWN + 9 },
      version,
    ])
    await store.setPolicyMode({
      policy: 'rules',
      version: 'v2',
      mode: 'shadow',
      by: undefined,
      at: DAWN,
    })
    await store.setPolicyMode({
      policy: 'rules',
      version: 'v2',
      mode: 'acts',
      by: 'ada',
      at: DAWN + 1,
    })
    expect(await store.policyModes()).toEqual([
      { policy: 'rules', version: 'v2', mode: 'acts', by: 'ada', at: DAWN + 1 },
    ])
    expect(await store.note('spent')).toBeUndefined()
    await store.setNote('spent', '1')
    await store.setNote('spent', '{"a":2}')
    expect(await store.note('spent')).toBe('{"a":2}')
    await expect(store.setNote('', 'x')).rejects.toThrow('Cannot keep a note')
    await expect(store.setNote('x', 'a\0')).rejects.toThrow('Cannot keep the note "x"')
  })

  test('of edits of a policy the newest on each base holds, and a hundred are kept', async () => {
    const edit = {
      policy: 'calm',
      version: 'v1',
      base: 'b1',
      yaml: '- redact',
      mode: 'shadow' as const,
      by: 'ada',
      at: DAWN,
      note: undefined,
    }
    expect(await store.policyEditMark()).toBe('0.0')
    const first = await store.addPolicyEdit(edit)
    const mark = await store.policyEditMark()
    const second = await store.addPolicyEdit({ ...edit, yaml: undefined, by: undefined })
    const third = await store.addPolicyEdit({ ...edit, base: 'b2', mode: 'acts', note: 'why' })
    expect(await store.policyEditMark()).not.toBe(mark)
    expect(await store.policyEdits()).toEqual([third, second])
    expect(await store.policyEdits('calm')).toEqual([third, second, first])
    expect(await store.policyEdits('other')).toEqual([])
    for (let i = 0; i < 100; i++) await store.addPolicyEdit({ ...edit, version: `w${i}` })
    const kept = await store.policyEdits('calm')
    expect(kept.map(({ version }) => version)).toEqual([
      ...Array.from({ length: 100 }, (_, i) => `w${99 - i}`),
      third?.version,
    ])
  })

  test('of many who edit what they have seen at once one is heard', async () => {
    const edit = {
      policy: 'calm',
      version: 'v1',
      base: 'b1',
      yaml: '- redact',
      mode: 'acts' as const,
      by: undefined,
      at: DAWN,
      note: undefined,
    }
    const write = async (after: number): Promise<readonly number[]> => {
      const all = await Promise.all(
        Array.from({ length: 10 }, () => store.addPolicyEdit(edit, after)),
      )
      return all.flatMap((one) => one?.seq ?? [])
    }
    const [first = 0, ...others] = await write(0)
    expect(others).toEqual([])
    expect(await write(0)).toEqual([])
    expect(await write(first)).toHaveLength(1)
    expect(await store.policyEdits('calm')).toHaveLength(2)
    expect(await store.addPolicyEdit({ ...edit, base: 'b2' }, 0)).toBeDefined()
  })

  test('an edit that holds stays, however often others are edited', async () => {
    const edit = {
      policy: 'calm',
      version: 'v1',
      base: 'b1',
      yaml: '- redact',
      mode: 'acts' as const,
      by: undefined,
      at: DAWN,
      note: undefined,
    }
    const holds = await store.addPolicyEdit(edit)
    await store.addPolicyEdit({ ...edit, base: 'b2' })
    await store.addPolicyEdit({ ...edit, base: 'b2', yaml: undefined })
    for (let i = 0; i < 100; i++) await store.addPolicyEdit({ ...edit, base: 'b3' })
    // Of the one that was rolled back nothing is left that could hold again.
    expect((await store.policyEdits()).map(({ base }) => base)).toEqual(['b3', 'b1'])
    expect((await store.policyEdits('calm')).at(-1)).toEqual(holds)
  })

  test('verdicts are counted by the version that gave them', async () => {
    const verdicts = [
      sampleVerdict({ version: 'v1' }),
      sampleVerdict({ version: 'v2', type: 'pass' }),
      sampleVerdict({ version: 'v2', type: 'pass', isShadow: true }),
      sampleVerdict({ version: 'v2', policy: 'other' }),
    ]
    await store.write([
      sampleExchange('a', {}, { verdicts }),
      sampleExchange('b', {}, { verdicts }),
    ])
    expect((await store.versionVerdicts('rules')).toSorted(byWords)).toEqual([
      { version: 'v1', isShadow: false, type: 'deny', count: 2 },
      { version: 'v2', isShadow: false, type: 'pass', count: 2 },
      { version: 'v2', isShadow: true, type: 'pass', count: 2 },
    ])
  })
}

const byWords = (one: object, other: object): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1

const text = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes)
