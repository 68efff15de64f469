/**
 * Hot reload on real files: every way in which an editor or a deployment changes one.
 */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeCertificate } from '../../test/support/certificate.ts'
import { watchConfig, type ConfigWatch } from './watch.ts'

let cwd = ''
let file = ''
let ports: number[] = []
let errors: string[] = []
let watch: ConfigWatch | undefined

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sluice-watch-'))
  file = join(cwd, 'sluice.yaml')
  ports = []
  errors = []
  writeFileSync(file, 'listen: 1')
})

afterEach(() => {
  watch?.close()
  rmSync(cwd, { recursive: true, force: true })
})

/** `poll` is off unless a test is about it, so that the folder's own signs are what is heard. */
function start({ path = file, poll = 1_000_000, settle = 40 } = {}): void {
  watch = watchConfig(path, {
    cwd,
    env: {},
    settle,
    poll,
    onChange: ({ listen }) => ports.push(listen.port),
    onError: (error) => errors.push(error.message),
  })
}

const seen = (expected: readonly number[]): Promise<void> =>
  vi.waitFor(() => expect(ports).toEqual(expected), { timeout: 10_000, interval: 10 })

const told = (count: number): Promise<void> =>
  vi.waitFor(() => expect(errors).toHaveLength(count), { timeout: 10_000, interval: 10 })

test('an edit in place is noticed, and the next one too', async () => {
  start()
  writeFileSync(file, 'listen: 2')
  await seen([2])
  writeFileSync(file, 'listen: 3')
  await seen([2, 3])
})

test('a file that is renamed over it is noticed, again and again', async () => {
  start()
  for (const port of [2, 3, 4]) {
    writeFileSync(join(cwd, '.sluice.yaml.swp'), `listen: ${port}`)
    renameSync(join(cwd, '.sluice.yaml.swp'), file)
    await vi.waitFor(() => expect(ports.at(-1)).toBe(port), { timeout: 10_000 })
  }
  expect(ports).toEqual([2, 3, 4])
})

test('a link above it that is swapped is noticed, as a mounted volume does it', async () => {
  mkdirSync(join(cwd, 'v1'))
  mkdirSync(join(cwd, 'v2'))
  writeFileSync(join(cwd, 'v1/sluice.yaml'), 'listen: 1')
  writeFileSync(join(cwd, 'v2/sluice.yaml'), 'listen: 2')
  unlinkSync(file)
  symlinkSync('v1', join(cwd, 'data'))
  symlinkSync('data/sluice.yaml', file)
  start()
  symlinkSync('v2', join(cwd, 'data.next'))
  renameSync(join(cwd, 'data.next'), join(cwd, 'data'))
  await seen([2])
})

test('a new config that is not right is told of, and the one after it is taken', async () => {
  start()
  writeFileSync(file, 'listen: x\ngrace: y')
  await told(1)
  expect(errors[0]).toMatch(
    /^sluice\.yaml:1:9 listen: "x" is no address.*\nsluice\.yaml:2:8 grace: /,
  )
  writeFileSync(file, 'listen: 5')
  await seen([5])
  expect(errors).toHaveLength(1)
})

test('a file that is gone is told of once, and taken when it is back', async () => {
  start()
  unlinkSync(file)
  await told(1)
  expect(errors[0]).toBe('Cannot read "sluice.yaml": there is no such file')
  await sleep(200)
  expect(errors).toHaveLength(1)
  writeFileSync(file, 'listen: 6')
  await seen([6])
})

test('many writes in a row are one change, and a half-written file is none', async () => {
  start({ settle: 150 })
  writeFileSync(file, '')
  for (const piece of ['l', 'is', 'te', 'n', ':', ' ', '7', '0', '0']) {
    appendFileSync(file, piece)
    await sleep(50)
  }
  await seen([700])
  await sleep(400)
  expect([ports, errors]).toEqual([[700], []])
})

test('a file that was only touched, or written as it was, has not changed', async () => {
  start()
  utimesSync(file, new Date(), new Date())
  writeFileSync(file, 'listen: 1')
  writeFileSync(join(cwd, 'other.txt'), 'x')
  await sleep(300)
  expect([ports, errors]).toEqual([[], []])
})

test('a folder where something is always written hides no change', async () => {
  start({ settle: 300 })
  const noise = setInterval(() => appendFileSync(join(cwd, 'log.txt'), 'x'), 2)
  try {
    writeFileSync(file, 'listen: 8')
    await seen([8])
  } finally {
    clearInterval(noise)
  }
})

test('a change is noticed without a sign of the folder, by looking now and then', async () => {
  const folder = join(cwd, 'late')
  const late = join(folder, 'sluice.yaml')
  mkdirSync(folder)
  writeFileSync(late, 'listen: 1')
  start({ path: late, poll: 50 })
  // The watch stays with the folder that is gone.
  renameSync(folder, join(cwd, 'gone'))
  mkdirSync(folder)
  writeFileSync(late, 'listen: 8')
  await seen([8])
  writeFileSync(late, 'listen: 9')
  await seen([8, 9])
})

test('the files that it names are watched too, also those that it names only now', async () => {
  const one = makeCertificate()
  const two = makeCertificate()
  mkdirSync(join(cwd, 'tls'))
  writeFileSync(join(cwd, 'tls/cert.pem'), one.cert)
  writeFileSync(join(cwd, 'tls/key.pem'), one.key)
  start()
  writeFileSync(file, 'listen: 2\ntls: { cert: tls/cert.pem, key: tls/key.pem }')
  await seen([2])
  writeFileSync(join(cwd, 'tls/cert.pem'), two.cert)
  writeFileSync(join(cwd, 'tls/key.pem'), two.key)
  await seen([2, 2])
})

test('nothing is heard after close', async () => {
  start()
  writeFileSync(file, 'listen: 2')
  watch?.close()
  await sleep(300)
  expect([ports, errors]).toEqual([[], []])
})

test('a config that was wrong from the start is watched as well', async () => {
  writeFileSync(file, 'listen: x')
  start()
  writeFileSync(file, 'listen: 2')
  await seen([2])
})
