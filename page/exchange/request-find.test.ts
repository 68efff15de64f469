import { expect, test } from 'vitest'
import { findInJson, MAX_MATCHES } from './request-find.ts'

test('words are found in values and names, with the place where they stand', async () => {
  const found = await findInJson(
    { messages: [{ role: 'user', content: 'Where is the Needle?' }], needle: 1 },
    'needle',
  )
  expect(found).toEqual([
    { path: 'needle', before: '', found: 'needle', after: '' },
    { path: 'messages[0].content', before: 'Where is the ', found: 'Needle', after: '?' },
  ])
})

test('signs of patterns are just signs', async () => {
  expect(await findInJson({ a: 'a.c', b: 'abc' }, 'a.c')).toHaveLength(1)
  expect(await findInJson({ a: '(((' }, '((')).toHaveLength(1)
})

test('there is an end to what is found, and to what is shown around it', async () => {
  const value = { list: Array.from({ length: 1000 }, () => `${'x'.repeat(500)}here`) }
  const found = await findInJson(value, 'here')
  expect(found).toHaveLength(MAX_MATCHES)
  expect(found[0]?.before.length).toBeLessThan(100)
})

test('nesting as deep as somebody likes does not stop it', async () => {
  const deep = JSON.parse(`${'['.repeat(5000)}"here"${']'.repeat(5000)}`) as unknown
  expect(await findInJson(deep, 'here')).toHaveLength(1)
})
