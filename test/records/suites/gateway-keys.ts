/** Keys that were made while a gateway ran, on both engines: one name, one key, and never more than there may be. */
import { beforeEach, expect, test } from 'vitest'
import { hashKey } from '../../../src/config/keys.ts'
import type { GatewayKey, RecordStore } from '../../../src/store/store.ts'
import type { TestEngine } from '../../support/engines.ts'
import { DAWN } from '../../support/records.ts'

const aKey = (name: string, more: Partial<GatewayKey> = {}): GatewayKey => ({
  name,
  hash: hashKey(name),
  limits: {},
  createdAt: DAWN,
  createdBy: 'ada',
  revokedAt: undefined,
  revokedBy: undefined,
  ...more,
})

export function gatewayKeysSuite(engine: TestEngine): void {
  let store: RecordStore
  beforeEach(async () => {
    store = await engine.open()
  })

  test('a key comes back as it was made, the newest first', async () => {
    const limits = {
      models: ['claude-*'],
      rate: { requests: 60, per: 60_000 },
      budget: { tokens: 5, per: 'day' },
      concurrent: 2,
    } as const
    expect(await store.gatewayKeys()).toEqual([])
    expect(await store.addGatewayKey(aKey('one', { limits, createdBy: undefined }))).toBe('added')
    expect(await store.addGatewayKey(aKey('two', { createdAt: DAWN + 1 }))).toBe('added')
    expect(await store.gatewayKeys()).toEqual([
      aKey('two', { createdAt: DAWN + 1 }),
      aKey('one', { limits, createdBy: undefined }),
    ])
  })

  test('a name is taken until its key is revoked, and then it is the new key’s', async () => {
    await store.addGatewayKey(aKey('one'))
    const other = aKey('one', { hash: hashKey('other'), createdAt: DAWN + 5 })
    expect(await store.addGatewayKey(other)).toBe('taken')
    expect(await store.revokeGatewayKey({ name: 'one', by: 'eve', at: DAWN + 2 })).toBe(true)
    expect(await store.gatewayKeys()).toEqual([
      aKey('one', { revokedAt: DAWN + 2, revokedBy: 'eve' }),
    ])
    // Said twice, the first time holds.
    expect(await store.revokeGatewayKey({ name: 'one', by: 'bob', at: DAWN + 3 })).toBe(true)
    expect((await store.gatewayKeys())[0]?.revokedBy).toBe('eve')
    expect(await store.addGatewayKey(other)).toBe('added')
    expect(await store.gatewayKeys()).toEqual([other])
    expect(await store.revokeGatewayKey({ name: 'none', at: DAWN })).toBe(false)
  })

  test('of many that want one name at once one gets it', async () => {
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        store.addGatewayKey(aKey('same', { hash: hashKey(`${i}`) })),
      ),
    )
    expect(all.filter((one) => one === 'added')).toHaveLength(1)
    expect(all.filter((one) => one === 'taken')).toHaveLength(99)
    expect(await store.gatewayKeys()).toHaveLength(1)
  })

  test('there are a thousand at most, and those that are revoked do not pile up', async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `key-${i}`)
    for (let from = 0; from < 990; from += 90)
      await Promise.all(names.slice(from, from + 90).map((name) => store.addGatewayKey(aKey(name))))
    const last = await Promise.all(
      Array.from({ length: 30 }, (_, i) => store.addGatewayKey(aKey(`last-${i}`))),
    )
    expect(last.filter((one) => one === 'full')).toHaveLength(20)
    for (const name of names.slice(0, 150)) await store.revokeGatewayKey({ name, at: DAWN })
    const left = await store.gatewayKeys()
    expect(left.filter(({ revokedAt }) => revokedAt === undefined)).toHaveLength(850)
    expect(left.filter(({ revokedAt }) => revokedAt !== undefined)).toHaveLength(100)
    expect(await store.addGatewayKey(aKey('again'))).toBe('added')
  }, 30_000)

  test('those that are revoked are forgotten only where none holds', async () => {
    await store.addGatewayKey(aKey('one'))
    await store.addGatewayKey(aKey('two'))
    await store.revokeGatewayKey({ name: 'one', at: DAWN })
    expect(await store.forgetGatewayKeys()).toBe(false)
    expect(await store.gatewayKeys()).toHaveLength(2)
    await store.revokeGatewayKey({ name: 'two', at: DAWN })
    expect(await store.forgetGatewayKeys()).toBe(true)
    expect(await store.gatewayKeys()).toEqual([])
  })
}
