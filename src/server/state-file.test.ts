import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readStates, stateFolder, writeState } from './state-file.ts'

let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'sluice-state-')), 'sluice')
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

const HERE = { url: 'http://127.0.0.1:4141', pid: process.pid, token: 'a-token' }

test('what one gateway leaves the commands find, until it is taken away', () => {
  const forget = writeState(folder, HERE)
  expect(readStates(folder)).toEqual([HERE])
  forget()
  expect(readStates(folder)).toEqual([])
})

test('nobody else may read it', () => {
  writeState(folder, HERE)
  const [name = ''] = readdirSync(folder)
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('it is not written through a link that somebody has put there', () => {
  mkdirSync(folder, { recursive: true })
  const target = join(folder, 'elsewhere')
  writeFileSync(target, 'theirs', { mode: 0o644 })
  symlinkSync(target, join(folder, `gateway-${process.pid}-4141.json`))
  writeState(folder, HERE)
  expect(readStates(folder)).toEqual([HERE])
  expect(statSync(target).size).toBe('theirs'.length)
})

test('what the dead and the broken have left is taken away', () => {
  writeState(folder, { ...HERE, pid: 2 ** 30 })
  writeFileSync(join(folder, 'gateway-1-1.json'), '{')
  writeFileSync(join(folder, 'gateway-1-2.json'), '{"url":"nowhere","pid":1}')
  writeFileSync(join(folder, 'other.json'), '{}')
  expect(readStates(folder)).toEqual([])
  expect(readdirSync(folder)).toEqual(['other.json'])
})

test('a folder that is not there is no gateway', () => {
  expect(readStates(join(folder, 'none'))).toEqual([])
  expect(existsSync(folder)).toBe(false)
})

test('the folder is where the system keeps such things', () => {
  expect(stateFolder({ XDG_STATE_HOME: '/state' }, '/home/ann')).toBe('/state/sluice')
  // What is not absolute is to be ignored, says its specification.
  expect(stateFolder({ XDG_STATE_HOME: 'state' }, '/home/ann')).toBe(
    '/home/ann/.local/state/sluice',
  )
  expect(stateFolder({}, '/home/ann')).toBe('/home/ann/.local/state/sluice')
})
