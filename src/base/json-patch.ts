/**
 * JSON text in which some values are others, and every other character as it came: digits, escapes, spaces, order.
 * Walks the text beside what was read from it and what is to be read, and goes only where the two differ. Neighbours:
 * `json-members.ts` does the same for a few members of the outermost object. What it makes of text that is no JSON
 * means nothing.
 */
import { stringifyExact } from './json-exact.ts'
import { isObject, type JsonObject } from './json.ts'

/** `before` was read from the text. What `after` has in common with it should be the same objects. */
export function patchJson(text: string, before: unknown, after: unknown): string {
  return new Patch(text).made(before, after)
}

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

interface Member {
  readonly from: number
  readonly to: number
  readonly isKept: boolean
}

class Patch {
  private readonly text: string
  private at = 0
  private readonly edits: Edit[] = []

  constructor(text: string) {
    this.text = text
  }

  made(before: unknown, after: unknown): string {
    this.space()
    this.value(before, after)
    const { text } = this
    const pieces: string[] = []
    let from = 0
    for (const edit of this.edits.toSorted((one, other) => one.from - other.from)) {
      pieces.push(text.slice(from, edit.from), edit.text)
      from = edit.to
    }
    pieces.push(text.slice(from))
    return pieces.join('')
  }

  private value(before: unknown, after: unknown): void {
    const from = this.at
    if (before === after) return this.skip()
    const char = this.text[from]
    if (char === '{' && isObject(before) && isObject(after)) return this.object(before, after)
    if (char === '[' && Array.isArray(before) && Array.isArray(after))
      return hasMoved(before, after) ? this.otherList(before, after) : this.sameList(before, after)
    this.skip()
    this.replace(from, this.at, stringifyExact(after) ?? 'null')
  }

  private replace(from: number, to: number, text: string): void {
    if (this.text.slice(from, to) !== text) this.edits.push({ from, to, text })
  }

  private object(before: JsonObject, after: JsonObject): void {
    const from = this.at
    const editsBefore = this.edits.length
    const members: Member[] = []
    const names = new Set<string>()
    let isTwice = false
    for (this.at += 1; this.space() !== '}' && this.at < this.text.length;) {
      const start = this.at
      const name = this.name()
      isTwice ||= names.has(name)
      names.add(name)
      const isKept = valueOf(after, name) !== undefined
      if (isKept) this.value(valueOf(before, name), valueOf(after, name))
      else this.skip()
      members.push({ from: start, to: this.at, isKept })
      if (this.space() === ',') this.at += 1
    }
    this.at += 1
    // Of two that have one name nobody knows which counts: one may hold what was to be changed in the other.
    if (isTwice) {
      this.edits.length = editsBefore
      return this.replace(from, this.at, stringifyExact(after))
    }
    this.leaveOut(members, from + 1)
    const added = Object.entries(after).filter(
      ([name, value]) => value !== undefined && !names.has(name),
    )
    if (added.length === 0) return
    const place = members.at(-1)?.to ?? from + 1
    const text = added.map(([name, value]) => `${JSON.stringify(name)}:${stringifyExact(value)}`)
    const comma = members.some(({ isKept }) => isKept) ? ',' : ''
    this.edits.push({ from: place, to: place, text: `${comma}${text.join(',')}` })
  }

  /** Members that are gone, each with one comma. */
  private leaveOut(members: readonly Member[], start: number): void {
    const lastKept = members.findLastIndex(({ isKept }) => isKept)
    members.forEach(({ from, isKept }, index) => {
      const next = members[index + 1]
      if (!isKept && index < lastKept && next !== undefined)
        this.edits.push({ from, to: next.from, text: '' })
    })
    const end = members.at(-1)
    if (end !== undefined && !end.isKept)
      this.edits.push({ from: members[lastKept]?.to ?? start, to: end.to, text: '' })
  }

  private sameList(before: readonly unknown[], after: readonly unknown[]): void {
    this.at += 1
    for (let index = 0; this.space() !== ']' && this.at < this.text.length; index++) {
      this.value(before[index], after[index])
      if (this.space() === ',') this.at += 1
    }
    this.at += 1
  }

  /** What is in both stays as it came, wherever it stands now. */
  private otherList(before: readonly unknown[], after: readonly unknown[]): void {
    const from = this.at
    const raw = new Map<unknown, string>()
    this.at += 1
    for (let index = 0; this.space() !== ']' && this.at < this.text.length; index++) {
      const start = this.at
      this.skip()
      raw.set(before[index], this.text.slice(start, this.at))
      if (this.space() === ',') this.at += 1
    }
    this.at += 1
    const items = after.map((item) => raw.get(item) ?? stringifyExact(item) ?? 'null')
    this.replace(from, this.at, `[${items.join(',')}]`)
  }

  /** Stands on the value afterwards. */
  private name(): string {
    const from = this.at
    this.string()
    const name: unknown = JSON.parse(this.text.slice(from, this.at))
    this.space()
    this.at += 1 // The colon.
    this.space()
    return String(name)
  }

  /** Leaps over space; gives back what stands behind it. */
  private space(): string | undefined {
    while (SPACE.has(this.text.charCodeAt(this.at))) this.at += 1
    return this.text[this.at]
  }

  private string(): void {
    for (let at = this.at + 1; ;) {
      const quote = this.text.indexOf('"', at)
      if (quote === -1) {
        this.at = this.text.length
        return
      }
      let slashes = 0
      while (this.text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1
      at = quote + 1
      if (slashes % 2 === 0) {
        this.at = at
        return
      }
    }
  }

  /** Over one value. */
  private skip(): void {
    let depth = 0
    do {
      const char = this.text[this.at]
      if (char === undefined) return
      if (char === '"') {
        this.string()
        continue
      }
      if (char === '{' || char === '[') depth += 1
      else if (char === '}' || char === ']') depth -= 1
      else if (depth === 0) return this.bare()
      this.at += 1
    } while (depth > 0)
  }

  /** A number or a word. */
  private bare(): void {
    BARE.lastIndex = this.at
    this.at += Math.max(1, BARE.exec(this.text)?.[0].length ?? 1)
  }
}

const BACKSLASH = 0x5c
const SPACE: ReadonlySet<number> = new Set([0x20, 0x0a, 0x0d, 0x09])
const BARE = /[^\s,\]}]*/y

const valueOf = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** Whether what stands in one place is not what became of what stood there. */
function hasMoved(before: readonly unknown[], after: readonly unknown[]): boolean {
  if (before.length !== after.length) return true
  const known = new Set<unknown>(before.filter((one) => typeof one === 'object'))
  return after.some((one, at) => one !== before[at] && known.has(one))
}
