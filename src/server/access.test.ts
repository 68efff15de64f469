import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { demoSettings } from '../config/load.ts'
import type { KeySettings, Settings } from '../config/settings.ts'
import { checkKey, checkSource } from './access.ts'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const key = (name: string, secret: string): KeySettings => ({
  name,
  hash: hash(secret),
  models: undefined,
  rate: undefined,
  budget: undefined,
  concurrent: undefined,
})

describe('the source of a request', () => {
  const kindOf = (headers: IncomingHttpHeaders, more: Partial<Settings> = {}): string | undefined =>
    checkSource(
      { headers, rawHeaders: Object.entries(headers).flat().map(String) },
      { ...demoSettings(), ...more },
    )?.kind

  test('is right on loopback and for names of the config', () => {
    expect(kindOf({ host: 'localhost:4141' })).toBeUndefined()
    expect(kindOf({ host: 'gw.example' }, { hosts: ['gw.example'] })).toBeUndefined()
    expect(kindOf({ host: 'gw.example' })).toBe('permission')
    expect(kindOf({})).toBe('permission')
  })

  test('has one Host, however it is spelled', () => {
    const settings = demoSettings()
    const rawHeaders = ['Host', 'localhost', 'HOST', 'localhost']
    expect(checkSource({ headers: { host: 'localhost' }, rawHeaders }, settings)?.kind).toBe(
      'invalid-request',
    )
    // A value that looks like a name is none.
    const values = ['Host', 'localhost', 'x-name', 'host']
    expect(
      checkSource({ headers: { host: 'localhost' }, rawHeaders: values }, settings),
    ).toBeUndefined()
  })

  test('may be the address that is listened on, of either kind', () => {
    const hosts = ['gw.example']
    for (const [host, name] of [
      ['192.0.2.1', '192.0.2.1:80'],
      ['2001:db8::1', '[2001:db8::1]:80'],
    ] as const) {
      const listen = { host, port: 80 }
      expect(kindOf({ host: name }, { listen, hosts })).toBeUndefined()
      expect(kindOf({ host: 'other.example' }, { listen, hosts })).toBe('permission')
    }
  })

  test('is a page of the same host and port, or one that is named', () => {
    const host = 'localhost:4141'
    expect(kindOf({ host, origin: 'http://localhost:4141' })).toBeUndefined()
    expect(kindOf({ host: 'LOCALHOST:4141', origin: 'http://localhost:4141' })).toBeUndefined()
    expect(kindOf({ host, origin: 'http://localhost:3000' })).toBe('permission')
    expect(kindOf({ host, origin: 'http://localhost' })).toBe('permission')
    expect(kindOf({ host, origin: 'null' })).toBe('permission')
    expect(kindOf({ host, origin: 'https://a.example' }, { origins: ['https://a.example'] })).toBe(
      undefined,
    )
  })
})

describe('a key', () => {
  test('is not asked for where there are none, and the credential is the client’s own', () => {
    expect(checkKey({}, [])).toEqual({ ok: true, key: undefined, hasOwnCredential: true })
  })

  test('is looked for among all, wherever it stands, so that time tells nothing', () => {
    let looked = 0
    const watched = ['one', 'two', 'three'].map((secret) => {
      const settings = key(secret, secret)
      return Object.defineProperty({ ...settings }, 'hash', {
        get() {
          looked += 1
          return settings.hash
        },
      })
    })
    for (const given of ['one', 'three', 'none']) {
      looked = 0
      checkKey({ 'x-api-key': given }, watched)
      expect(looked).toBe(3)
    }
  })

  test('in its own header leaves the others to the client', () => {
    const keys = [key('a', 'secret')]
    const own = { 'x-sluice-key': 'secret' }
    expect(checkKey({ ...own, authorization: 'Bearer mine' }, keys)).toMatchObject({
      ok: true,
      hasOwnCredential: true,
    })
    expect(checkKey({ ...own, authorization: 'Bearer secret' }, keys)).toMatchObject({
      ok: true,
      hasOwnCredential: false,
    })
    expect(checkKey({ authorization: 'Bearer secret' }, keys)).toMatchObject({
      hasOwnCredential: false,
    })
  })

  test('that is wrong in its own header is not made good by another', () => {
    const keys = [key('a', 'secret')]
    expect(checkKey({ 'x-sluice-key': '', 'x-api-key': 'secret' }, keys).ok).toBe(false)
  })
})
