/** Everything that the contract of the records says, on both engines: a real file, and a real server for all of it. */
import { afterAll, beforeAll, describe } from 'vitest'
import { createTestEngine, hasPostgres } from '../support/engines.ts'
import { figuresSuite } from './suites/figures.ts'
import { gatewayKeysSuite } from './suites/gateway-keys.ts'
import { driftSuite, fileSuite, migrationsSuite, serverSuite } from './suites/migrations.ts'
import { retentionSuite } from './suites/retention.ts'
import { storeSuite } from './suites/store.ts'

const sqlite = createTestEngine('sqlite')
const postgres = createTestEngine('postgres')
beforeAll(() => Promise.all([sqlite.start(), postgres.start()]))
afterAll(() => Promise.all([sqlite.stop(), postgres.stop()]))

const SUITES = {
  'kept and found': storeSuite,
  counted: figuresSuite,
  'keys of clients': gatewayKeysSuite,
  'taken away': retentionSuite,
  'brought up to date': migrationsSuite,
}

describe('records on SQLite', () => {
  for (const [name, suite] of Object.entries(SUITES))
    describe(name, () => {
      suite(sqlite)
    })
  describe('in their file', () => {
    fileSuite(sqlite)
  })
})

describe.skipIf(!(await hasPostgres()))('records on Postgres', () => {
  for (const [name, suite] of Object.entries(SUITES))
    describe(name, () => {
      suite(postgres)
    })
  describe('on their server', () => {
    serverSuite(postgres)
  })
  describe('as on SQLite', () => {
    driftSuite(sqlite, postgres)
  })
})
