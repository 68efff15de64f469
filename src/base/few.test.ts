import fc from 'fast-check'
import { expect, test } from 'vitest'
import { append, FewList, FewMap, FewSet, NOTHING } from './few.ts'

type Step = readonly ['set' | 'delete' | 'clear', string, number]

const steps = fc.array(
  fc.tuple(
    fc.constantFrom('set', 'set', 'set', 'delete', 'delete', 'clear') as fc.Arbitrary<Step[0]>,
    fc.constantFrom('a', 'b', 'c'),
    fc.nat(9),
  ),
)

test('holds what a Map holds, in the same order, whatever is done to both', () => {
  const property = fc.property(steps, (done) => {
    const map = new Map<string, number>()
    const few = new FewMap<string, number>()
    for (const [what, key, value] of done) {
      if (what === 'set') {
        map.set(key, value)
        few.set(key, value)
      } else if (what === 'delete') expect(few.delete(key)).toBe(map.delete(key))
      else {
        map.clear()
        few.clear()
      }
      expect(few.size).toBe(map.size)
      expect(few.entries()).toEqual([...map])
      expect(few.values()).toEqual([...map.values()])
      expect(few.keys()).toEqual([...map.keys()])
      for (const asked of ['a', 'b', 'c']) {
        expect(few.get(asked)).toBe(map.get(asked))
        expect(few.has(asked)).toBe(map.has(asked))
      }
    }
  })
  fc.assert(property)
})

test('holds what a Set holds, in the same order', () => {
  const property = fc.property(steps, (done) => {
    const set = new Set<string>()
    const few = new FewSet<string>()
    for (const [what, item] of done) {
      if (what === 'set') {
        set.add(item)
        few.add(item)
      } else if (what === 'delete') expect(few.delete(item)).toBe(set.delete(item))
      else {
        set.clear()
        few.clear()
      }
      expect(few.size).toBe(set.size)
      expect(few.keys()).toEqual([...set])
      for (const asked of ['a', 'b', 'c']) expect(few.has(asked)).toBe(set.has(asked))
    }
  })
  fc.assert(property)
})

test('a list gives what was pushed since it was last taken, and what was taken stays as it was', () => {
  const property = fc.property(fc.array(fc.array(fc.nat())), (batches) => {
    const few = new FewList<number>()
    const taken = batches.map((batch) => {
      for (const one of batch) few.push(one)
      expect(few.length).toBe(batch.length)
      return few.take()
    })
    expect(taken).toEqual(batches)
    expect(few.take()).toEqual([])
  })
  fc.assert(property)
})

test('a list begins with the one that all share, which nobody can change', () => {
  const property = fc.property(fc.array(fc.nat()), (items) => {
    let list: number[] = NOTHING
    for (const item of items) list = append(list, item)
    expect(list).toEqual(items)
    expect(NOTHING).toEqual([])
  })
  fc.assert(property)
  expect(() => (NOTHING as number[]).push(1)).toThrow(TypeError)
})
