/**
 * Writes `schema/sluice.schema.json` from the shape of the config, so that editors and the checks cannot
 * part ways. A test compares the two.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configSchema } from '../src/config/json-schema.ts'

const SCHEMA_FILE = join(import.meta.dirname, '../schema/sluice.schema.json')

mkdirSync(dirname(SCHEMA_FILE), { recursive: true })
writeFileSync(SCHEMA_FILE, configSchema())
