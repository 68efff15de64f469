/**
 * What a command is called: the program without its folder, whatever the spelling. Neighbours: `commands.ts`. Names
 * that only look like others cannot run as those, but a person who reads along is deceived: they are opaque.
 */
import { baseName } from '../paths.ts'

export interface CommandName {
  readonly name: string
  /** Whether it was not spelled plainly. */
  readonly isStrange: boolean
}

export function toName(path: string): CommandName {
  if (/^[a-z0-9_.+[\]:-]+$/.test(path)) return { name: dropEnding(path), isStrange: false }
  const base = isWindowsPath(path) ? baseName(path.replaceAll('\\', '/')) : baseName(path)
  const plain = toPlain(base)
  return { name: dropEnding(lower(plain)), isStrange: plain !== base }
}

const isWindowsPath = (path: string): boolean => /^(?:[A-Za-z]:|\\\\|\.{0,2}\\)/.test(path)

/** `RM` runs where file names know no case; a name that only exists in capitals stays. */
function lower(name: string): string {
  const small = name.toLowerCase()
  return small !== name && (PROGRAMS.has(dropEnding(small)) || small.endsWith('.exe'))
    ? small
    : name
}

const dropEnding = (name: string): string =>
  name.length > 4 && /\.(?:exe|cmd|bat|com)$/i.test(name) ? name.slice(0, -4) : name

/** Control characters, characters without any width, and signs that change how others look. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Letters of other scripts that look like ours and that no normal form turns into them, each with ours. */
const PAIRS =
  'аa сc еe оo рp хx уy мm тt кk ѕs іi јj ԁd һh ոn гr вb ԛq ԝw αa οo ρp νv ιi κk τt υu ɡg ѵv'

const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  PAIRS.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]),
)

function toPlain(name: string): string {
  if (/^[\u0020-\u007e]*$/.test(name)) return name
  const shown = name.normalize('NFKC').replaceAll(INVISIBLE, '')
  return Array.from(shown, (letter) => LOOK_ALIKES.get(letter) ?? letter).join('')
}

/** Programs that are worth a guess where a name is only half known. */
const PROGRAMS: ReadonlySet<string> = new Set(
  (
    'rm rmdir unlink shred mv cp ln dd mkfs fdisk chmod chown chgrp kill killall pkill reboot shutdown halt ' +
    'cat less more head tail tac nl od xxd strings base64 cut sed awk grep find xargs tee touch truncate install ' +
    'sh bash zsh dash ksh fish busybox env eval exec sudo su doas ssh scp sftp rsync nc ncat netcat socat telnet ' +
    'curl wget git gh tar zip unzip python python3 perl ruby node php npm npx pip docker kubectl systemctl crontab ' +
    'echo printf printenv id whoami passwd useradd mount umount iptables nft openssl gpg cmd powershell pwsh'
  ).split(' '),
)

/** Programs that a pattern such as `/bin/r?` may stand for. */
export function namesLike(pattern: string): readonly string[] {
  const last = baseName(pattern)
  if (last.length > 40 || /^[*?]+$/.test(last)) return []
  const tokens = toTokens(last)
  return [...PROGRAMS].filter((name) => isMatch(tokens, name)).slice(0, 8)
}

type Token = '*' | ((letter: string) => boolean)

function toTokens(pattern: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] ?? ''
    const end = letter === '[' ? pattern.indexOf(']', at + 2) : -1
    if (letter === '*') tokens.push('*')
    else if (letter === '?') tokens.push(() => true)
    else if (end > 0) {
      tokens.push(toSet(pattern.slice(at + 1, end)))
      at = end
    } else tokens.push((other) => other === letter)
  }
  return tokens
}

function toSet(inside: string): (letter: string) => boolean {
  const isNot = inside.startsWith('!') || inside.startsWith('^')
  const body = isNot ? inside.slice(1) : inside
  const isIn = (letter: string): boolean => {
    for (let at = 0; at < body.length; at++) {
      const first = body[at] ?? ''
      const last = body[at + 1] === '-' ? body[at + 2] : undefined
      if (last === undefined ? letter === first : letter >= first && letter <= last) return true
      if (last !== undefined) at += 2
    }
    return false
  }
  return (letter) => isIn(letter) !== isNot
}

/** Whether all of `text` fits; the usual two pointers, so that it stays short. */
function isMatch(tokens: readonly Token[], text: string): boolean {
  let at = 0
  let token = 0
  let star = -1
  let mark = 0
  while (at < text.length) {
    const now = tokens[token]
    if (now === '*') {
      star = token++
      mark = at
    } else if (now !== undefined && now(text[at] ?? '')) {
      token++
      at++
    } else if (star !== -1) {
      token = star + 1
      at = ++mark
    } else return false
  }
  while (tokens[token] === '*') token++
  return token === tokens.length
}

/** The same matcher for `${X#pattern}` and its like. */
export const createMatcher = (pattern: string): ((text: string) => boolean) => {
  const tokens = toTokens(pattern)
  return (text) => isMatch(tokens, text)
}
