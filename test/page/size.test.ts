/** How much the page weighs: all of its scripts together, as they go over the wire. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { buildPage } from '../support/page.ts'

const BUDGET = 250_000

test('All scripts of the page together stay under 250 KB gzipped, and nothing names another host', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-size-'))
  try {
    await buildPage(folder)
    const files = readdirSync(join(folder, 'assets'))
    const scripts = files.filter((name) => name.endsWith('.js'))
    const sizes = scripts.map((name) => gzipSync(readFileSync(join(folder, 'assets', name))).length)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(scripts.length).toBeGreaterThan(3)
    expect(total).toBeLessThan(BUDGET)
    const index = readFileSync(join(folder, 'index.html'), 'utf8')
    expect(index).not.toMatch(/https?:\/\/|<script(?![^>]*\bsrc=)|<style|\son\w+=/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
