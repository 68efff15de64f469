/**
 * Patterns of users → tests that take linear time, whatever the pattern and the text: RE2, compiled once. Neighbours:
 * `language.ts` has them as `re()` and `glob()`, `redact.ts` masks by them, `compile.ts` picks tools by globs.
 */
import { RE2JS, RE2JSSyntaxException } from 're2js'

/** Longer ones are lists that somebody should put into several rules. */
const MAX_PATTERN = 2000

/** A pattern, or a sentence about what is wrong with it. */
export function toPattern(source: string): RE2JS | string {
  if (source.length > MAX_PATTERN)
    return `a pattern takes ${MAX_PATTERN} characters at most, not ${source.length}`
  return compile(source, 'RE2 pattern')
}

/**
 * Compiling takes milliseconds where testing takes a microsecond, and whoever reloads a config has the same patterns
 * again. A compiled pattern keeps nothing of what it was tested on.
 */
const compiled = new Map<string, RE2JS>()
const MAX_COMPILED = 1000

function compile(source: string, noun: string): RE2JS | string {
  const known = compiled.get(source)
  if (known !== undefined) return known
  try {
    const pattern = RE2JS.compile(source)
    if (compiled.size >= MAX_COMPILED) compiled.clear()
    compiled.set(source, pattern)
    return pattern
  } catch (error) {
    return error instanceof RE2JSSyntaxException
      ? `it is no ${noun}: ${describe(error)}`
      : `it is no ${noun}`
  }
}

function describe(error: RE2JSSyntaxException): string {
  const [, rest = 'it cannot be read'] =
    /^error parsing regexp: (.{1,200})/s.exec(error.message) ?? []
  const isPerl = rest.startsWith('invalid or unsupported Perl syntax')
  return isPerl ? `${rest}; RE2 has no look-ahead, look-behind or back-references` : rest
}

/**
 * A glob for paths: `*` and `?` stay within a folder, `**` does not, `{a,b}` is either. Letters of both cases are the
 * same, because on many disks they are.
 */
export function toPathGlob(glob: string): RE2JS | string {
  if (glob.length > MAX_PATTERN) return `a glob takes ${MAX_PATTERN} characters at most`
  return compile(`(?is)^${splitGlob(glob).map(toPathPart).join('')}$`, 'glob')
}

/** Globs and patterns can share one table by this. */
export const globKey = (glob: string): string => `glob ${glob}`

/** A glob for names: `*` is any characters. */
export function toNameGlob(glob: string): RE2JS | string {
  const parts = glob.split('*').map((part) => RE2JS.quote(part))
  if (glob.length > MAX_PATTERN) return `a name takes ${MAX_PATTERN} characters at most`
  return compile(`(?s)^${parts.join('.*')}$`, 'name')
}

function splitGlob(glob: string): readonly string[] {
  return glob.match(/\*\*\/|\*\*|[*?{},]|[^*?{},]+/g) ?? []
}

function toPathPart(part: string): string {
  switch (part) {
    case '**/':
      return '(?:.*/)?'
    case '**':
      return '.*'
    case '*':
      return '[^/]*'
    case '?':
      return '[^/]'
    case '{':
      return '(?:'
    case '}':
      return ')'
    case ',':
      return '|'
    default:
      return RE2JS.quote(part)
  }
}
