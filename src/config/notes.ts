/**
 * Collects what is wrong or odd in a config, each with its place. Neighbours: everything in this room
 * writes here, `load.ts` throws the whole. Knows no setting.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { Place } from './node.ts'

/** More than a person reads; a file of rubbish has a hundred thousand. */
const MAX_NOTES = 100

/** Words are made only for the notes that are kept: finding the nearest name takes time. */
export type Sentence = string | (() => string)

export interface Notes {
  mistake(place: Place, path: string, sentence: Sentence): void
  warning(place: Place, path: string, sentence: Sentence): void
  readonly hasMistakes: boolean
  /** In the order of the file. */
  warnings(): readonly string[]
  /** All mistakes in one error, one a line. */
  toError(): SluiceError
}

interface Note {
  readonly place: Place
  readonly text: string
}

export function createNotes(file: string): Notes {
  const mistakes = createList(file)
  const warnings = createList(file)
  return {
    mistake: mistakes.add,
    warning: warnings.add,
    get hasMistakes() {
      return mistakes.count() > 0
    },
    warnings: warnings.lines,
    toError: () => new SluiceError('bad-config', mistakes.lines().join('\n')),
  }
}

function createList(file: string) {
  const notes: Note[] = []
  let left = 0
  return {
    count: () => notes.length,
    add(place: Place, path: string, sentence: Sentence): void {
      if (notes.length >= MAX_NOTES) {
        left += 1
        return
      }
      const words = typeof sentence === 'string' ? sentence : sentence()
      const where = path === '' ? '' : ` ${path}`
      notes.push({ place, text: `${file}:${place.line}:${place.column}${where}: ${words}` })
    },
    lines(): readonly string[] {
      const sorted = notes.toSorted(
        (a, b) => a.place.line - b.place.line || a.place.column - b.place.column,
      )
      const lines = sorted.map(({ text }) => text)
      return left === 0 ? lines : [...lines, `${file}: and ${left} more`]
    },
  }
}
