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

/** Part of a line: from a column up to another, which does not belong to it any more. */
export interface Span extends Place {
  readonly endColumn?: number | undefined
}

/** A mistake by itself, for those who show it in the text. */
export interface Mistaken {
  readonly place: Span
  /** Where in the settings; empty where it is the text itself that cannot be read. */
  readonly path: string
  readonly sentence: string
}

export interface Notes {
  /** `exact`: where in the value, if that is known better than the place where it begins. */
  mistake(place: Place, path: string, sentence: Sentence, exact?: Span): void
  warning(place: Place, path: string, sentence: Sentence): void
  readonly hasMistakes: boolean
  /** In the order of the file. */
  warnings(): readonly string[]
  /** In the order of the file. */
  mistakes(): readonly Mistaken[]
  /** All mistakes in one error, one a line. */
  toError(): SluiceError
}

interface Note extends Omit<Mistaken, 'place'> {
  readonly place: Place
  readonly exact: Span | undefined
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
    mistakes: mistakes.all,
    toError: () => new SluiceError('bad-config', mistakes.lines().join('\n')),
  }
}

function createList(file: string) {
  const notes: Note[] = []
  let left = 0
  return {
    count: () => notes.length,
    add(place: Place, path: string, sentence: Sentence, exact?: Span): void {
      if (notes.length >= MAX_NOTES) {
        left += 1
        return
      }
      const words = typeof sentence === 'string' ? sentence : sentence()
      notes.push({ place, path, sentence: words, exact })
    },
    lines(): readonly string[] {
      const lines = notes.toSorted(inOrder).map(({ place, path, sentence }) => {
        const where = path === '' ? '' : ` ${path}`
        return `${file}:${place.line}:${place.column}${where}: ${sentence}`
      })
      return left === 0 ? lines : [...lines, `${file}: and ${left} more`]
    },
    all: (): readonly Mistaken[] =>
      notes
        .map(({ place, path, sentence, exact }) => ({ place: exact ?? place, path, sentence }))
        .toSorted(inOrder),
  }
}

const inOrder = (a: { readonly place: Place }, b: { readonly place: Place }): number =>
  a.place.line - b.place.line || a.place.column - b.place.column
