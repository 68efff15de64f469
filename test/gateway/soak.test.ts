/**
 * The endurance test in its short form: every fault of the faulty upstream on every wire, two hundred streams at once,
 * clients that leave, edits of config and policy in between. `npm run soak` is the long form.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FAULT_NAMES } from '../../src/testkit/faulty-upstream-names.ts'
import { toTable } from '../soak/report.ts'
import { soak } from '../soak/soak.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** It takes about 25 s; this tells a hang from a slow machine. */
const TIMEOUT_MS = 150_000

test(
  'whatever an upstream does, every client is told, and nothing is left behind',
  async () => {
    const options = { exchanges: 400, open: 200, minutes: 1.5, isShort: true, folder }
    const report = await soak({ seed: Number(process.env['SEED'] ?? 1), ...options })
    process.stdout.write(toTable(report))
    expect(report.problems).toEqual([])
    expect(report.tally.total).toBe(options.exchanges + options.open)
    expect([...report.tally.counts.keys()].toSorted()).toEqual(FAULT_NAMES.toSorted())
    expect(report.stood.open).toBeGreaterThanOrEqual(options.open)
    expect(report.reloads).toBeGreaterThan(3)
  },
  TIMEOUT_MS,
)
