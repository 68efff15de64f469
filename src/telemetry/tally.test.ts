import { Counter, Histogram, Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { gather, sumUp } from './tally.ts'

const create = () => {
  const registers = [new Registry()]
  const counter = new Counter({ name: 'c', help: 'c', labelNames: ['a', 'b'], registers })
  const histogram = new Histogram({
    name: 'h',
    help: 'h',
    labelNames: ['a'],
    buckets: [1],
    registers,
  })
  return { counter, histogram, sums: sumUp(counter), times: gather(histogram) }
}

const valuesOf = async (counter: Counter): Promise<readonly number[]> =>
  (await counter.get()).values.map(({ value }) => value)

describe('a tally', () => {
  test('is told once, with what was added since the last time', async () => {
    const { counter, sums } = create()
    sums.add({ a: 'x', b: 'y' })
    sums.add({ a: 'x', b: 'y' }, 4)
    sums.add({ a: 'y', b: 'x' })
    expect(await valuesOf(counter)).toEqual([])
    sums.flush()
    sums.flush()
    expect(await valuesOf(counter)).toEqual([5, 1])
    sums.add({ a: 'x', b: 'y' })
    sums.flush()
    expect(await valuesOf(counter)).toEqual([6, 1])
  })

  test('keeps a bounded number of values and kinds where nobody reads', async () => {
    const { counter, histogram, sums, times } = create()
    for (let at = 0; at < 600; at++) times.add({ a: 'x' }, at % 2)
    const told = (await histogram.get()).values.find(({ metricName }) => metricName === 'h_count')
    expect(told?.value).toBe(512)
    for (let at = 0; at < 300; at++) sums.add({ a: String(at), b: '' })
    expect(await valuesOf(counter)).toHaveLength(256)
    times.flush()
    sums.flush()
    const all = (await histogram.get()).values.find(({ metricName }) => metricName === 'h_count')
    expect(all?.value).toBe(600)
    expect(await valuesOf(counter)).toHaveLength(300)
  })
})
