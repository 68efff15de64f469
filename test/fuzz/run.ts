/**
 * The long run: mutated streams through framer, decoders, encoders and automata, until the time is up.
 * `npm run fuzz -- --seconds 600 --seed 1`. A find is written to the corpus, which the tests replay.
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { WIRE_NAMES } from '../../src/index.ts'
import { createRandom, cutRandomly, mutate, readSeeds } from './mutate.ts'
import { torture } from './torture.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
})
const seeds = readSeeds()
const first = Number(values.seed ?? Date.now() % 1_000_000_000)
const end = performance.now() + Number(values.seconds) * 1000
let runs = 0
let finds = 0
for (let seed = first; performance.now() < end && finds < 20; seed++) {
  const random = createRandom(seed)
  const { wire, bytes } = seeds[Math.floor(random() * seeds.length)] ?? {
    wire: 'openai-chat',
    bytes: new Uint8Array(0),
  }
  const mutated = mutate(bytes, random)
  // Sometimes under a wire that is not its own.
  const as = random() > 0.97 ? (WIRE_NAMES[Math.floor(random() * 3)] ?? wire) : wire
  try {
    torture(as, cutRandomly(mutated, random))
    runs += 1
  } catch (error) {
    finds += 1
    const name = `${as}.${createHash('sha256').update(mutated).digest('hex').slice(0, 12)}.bin`
    writeFileSync(join(import.meta.dirname, 'corpus', name), mutated)
    process.stdout.write(
      `seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n  kept as test/fuzz/corpus/${name}\n`,
    )
  }
}
process.stdout.write(`${runs} streams from seed ${first} on, ${finds} finds\n`)
process.exitCode = finds > 0 ? 1 : 0
