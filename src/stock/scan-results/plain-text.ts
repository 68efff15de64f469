/**
 * Text as a model reads it and not as it is spelled: lower case, without what nobody sees, look-alikes as the letters
 * that they look like. Neighbours: `phrases.ts` looks at it, and finds its way back by `toSource`.
 */

export interface PlainText {
  readonly text: string
  /** The place in the text as it came. */
  toSource(index: number): number
}

/** Characters that take no space, or turn the reading around. */
const INVISIBLE =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\u{e0000}-\\u{e01ef}'

/** Letters that may be spelled for others: accents, Greek, Cyrillic, letters in circles, wide and styled ones. */
const ODD = new RegExp(
  `[${INVISIBLE}\\u00c0-\\u052f\\u1d00-\\u1eff\\u2100-\\u214f\\u2460-\\u24ff\\uff00-\\uffef\\u{1d400}-\\u{1d7ff}\\u{1f130}-\\u{1f189}]`,
  'u',
)
const ALL_INVISIBLE = new RegExp(`[${INVISIBLE}]`, 'gu')
/** Accents, once they stand by themselves. */
const MARKS = /[\u0300-\u036f]/g

export function toPlainText(source: string): PlainText {
  const lower = source.toLowerCase()
  if (lower.length === source.length && !ODD.test(source))
    return { text: lower, toSource: (index) => index }
  // Where something is seldom matters: the way back is only made when somebody asks for it.
  let places: Uint32Array | undefined
  return {
    text: spell(source).replace(MIXED, (letters) => letters.replace(TWIN, toTwin)),
    toSource(index) {
      places ??= toPlaces(source)
      return places[Math.min(index, places.length - 1)] ?? source.length
    },
  }
}

const spell = (text: string): string =>
  text.replace(ALL_INVISIBLE, '').normalize('NFKD').replace(MARKS, '').toLowerCase()

/** Of each character of the plain text, where it stood. */
function toPlaces(source: string): Uint32Array {
  const lengths = new Map<number, number>()
  const places: number[] = []
  for (let at = 0; at < source.length;) {
    const code = source.codePointAt(at) ?? 0
    let length = code < 128 ? 1 : lengths.get(code)
    if (length === undefined) {
      length = spell(String.fromCodePoint(code)).length
      lengths.set(code, length)
    }
    for (let i = 0; i < length; i++) places.push(at)
    at += code > 0xffff ? 2 : 1
  }
  places.push(source.length)
  return Uint32Array.from(places)
}

/** Cyrillic and Greek letters that look Latin; read so only beside Latin ones, or their own words would suffer. */
const TWINS = new Map(
  Object.entries({
    а: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    ѐ: 'e',
    һ: 'h',
    і: 'i',
    ї: 'i',
    ј: 'j',
    к: 'k',
    ӏ: 'l',
    м: 'm',
    п: 'n',
    о: 'o',
    р: 'p',
    ԛ: 'q',
    г: 'r',
    ѕ: 's',
    т: 't',
    у: 'y',
    ѵ: 'v',
    ԝ: 'w',
    х: 'x',
    α: 'a',
    ε: 'e',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
    ı: 'i',
  }),
)

const toTwin = (letter: string): string => TWINS.get(letter) ?? letter
const TWIN_LETTERS = [...TWINS.keys()].join('')
const TWIN = new RegExp(`[${TWIN_LETTERS}]`, 'g')
const MIXED = new RegExp(
  `[a-z][${TWIN_LETTERS}]{1,30}|(?<![${TWIN_LETTERS}])[${TWIN_LETTERS}]{1,30}(?=[a-z])`,
  'g',
)
