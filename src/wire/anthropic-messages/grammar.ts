import type { Grammar } from '../grammar.ts'
export const createGrammar = (): Grammar => ({ push: () => [], end: () => [] })
