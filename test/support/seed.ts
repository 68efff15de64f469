/**
 * The same random values on every run, so that a red test is red for everybody. `SEED=… npm test` tries
 * others, and `npm run fuzz` does so for as long as you like.
 */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_261_115) })
