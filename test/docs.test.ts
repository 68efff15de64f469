/**
 * The documents are true: what they list is what the code has, what they name exists, and the code in
 * them runs.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { apiPage, API_PAGE } from '../scripts/api-docs.ts'
import { lintPage, LINT_PAGE } from '../scripts/lint-docs.ts'
import { policiesPage, POLICIES_PAGE } from '../scripts/policy-docs.ts'

const ROOT = join(import.meta.dirname, '..')

const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...['guide', 'reference', 'decisions', 'policies'].flatMap((folder) =>
    readdirSync(join(ROOT, 'docs', folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', folder, name)),
  ),
]

test('the page of lint rules is written from the rules', () => {
  expect(readFileSync(LINT_PAGE, 'utf8')).toBe(lintPage())
})

test('the page of the admin API is written from its table', () => {
  expect(readFileSync(API_PAGE, 'utf8')).toBe(apiPage())
})

test('the page of what policies see is written from the types', () => {
  const page = readFileSync(POLICIES_PAGE, 'utf8')
  expect(page).toBe(policiesPage())
  expect(page).not.toMatch(/\| `` \|/)
})

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8')

  test('links to files that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '')
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([])
  })

  test('names source files that exist', () => {
    const paths = [...text.matchAll(/`((?:src|test|bench|docs|scripts|bin)\/[\w./-]+)`/g)].map(
      (match) => match[1] ?? '',
    )
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })
})

test('the architecture names files of rooms that exist', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  const named = [...text.matchAll(/`(\w+\/[\w/-]+\.ts)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => rooms.includes(path.split('/')[0] ?? ''))
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((path) => !existsSync(join(ROOT, 'src', path)))).toEqual([])
})

test('the commands of the README name fixtures that exist', () => {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const paths = [...text.matchAll(/test\/fixtures\/[\w./-]+/g)].map(([path]) => path)
  expect(paths.length).toBeGreaterThan(0)
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})
