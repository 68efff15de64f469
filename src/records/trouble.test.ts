import { expect, test } from 'vitest'
import { SluiceError } from '../base/sluice-error.ts'
import { toTrouble, toWhy } from './trouble.ts'

const sqlite = (errcode: number): Error =>
  Object.assign(new Error('quotes "a secret"'), { code: 'ERR_SQLITE_ERROR', errcode, errstr: 'so' })
const coded = (code: string): Error => Object.assign(new Error('quotes "a secret"'), { code })

test('knows the trouble of a store by its code', () => {
  expect(toTrouble(sqlite(13))?.type).toBe('full')
  expect(toTrouble(sqlite(5))?.type).toBe('locked')
  // SQLITE_BUSY_SNAPSHOT and SQLITE_IOERR_WRITE: the lowest byte says what they are.
  expect(toTrouble(sqlite(517))?.type).toBe('locked')
  expect(toTrouble(sqlite(778))?.type).toBe('file')
  for (const code of [
    'ECONNREFUSED',
    'ECONNRESET',
    'ETIMEDOUT',
    '57P01',
    '57014',
    '08006',
    '53300',
  ])
    expect([code, toTrouble(coded(code))?.type]).toEqual([code, 'gone'])
  expect(toTrouble(coded('53100'))?.type).toBe('full')
  expect(toTrouble(coded('40001'))?.type).toBe('locked')
  expect(toTrouble(new Error('Connection terminated unexpectedly'))?.type).toBe('gone')
  expect(toTrouble(coded('ENOSPC'))?.type).toBe('full')
  expect(toTrouble(coded('EROFS'))?.type).toBe('file')
})

test('finds it in what an error was caused by', () => {
  const wrapped = new SluiceError('wrong-use', 'Cannot write', { cause: sqlite(13) })
  expect(toTrouble(wrapped)?.type).toBe('full')
})

test('takes what it does not know for the fault of what was written', () => {
  for (const error of [
    sqlite(19),
    sqlite(1),
    coded('22021'),
    coded('23505'),
    new TypeError('x'),
    7,
  ])
    expect(toTrouble(error)).toBeUndefined()
})

test('says nothing of what was written', () => {
  for (const error of [sqlite(19), coded('22021'), new TypeError('"a secret"'), 'a secret'])
    expect(toWhy(error)).not.toContain('a secret')
  expect(toWhy(sqlite(19))).toBe('SQLite says 19 (so)')
})
