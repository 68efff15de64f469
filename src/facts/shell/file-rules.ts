/**
 * What the operands and options of programs do to files. Neighbours: `files.ts` applies it. To teach it another
 * program, add a line; those that need more than a line stand in `files.ts`.
 */
import type { FileUse } from '../findings.ts'
import type { OptionNames } from './options.ts'

export interface FileRule extends OptionNames {
  /** What happens to the operands. `copy`, `move`: the last is the target. */
  readonly use: FileUse | 'copy' | 'move' | 'none'
  /** The first operand is a pattern, a program, a mode, unless one of `instead` gives it. */
  readonly isBehindFirst?: boolean
  readonly instead?: readonly string[]
  /** Options whose value is a file. */
  readonly options?: Readonly<Record<string, FileUse>>
}

const each = (names: string, rule: FileRule): readonly (readonly [string, FileRule])[] =>
  names.split(' ').map((name) => [name, rule])

const INTO = { '-t': 'written', '--target-directory': 'written' } as const

export const FILE_RULES: ReadonlyMap<string, FileRule> = new Map<string, FileRule>([
  ...each('rm unlink rmdir shred srm trash rimraf trash-put gio del-cli', {
    use: 'deleted',
    short: 'ns',
    long: ['iterations', 'size'],
  }),
  ...each(
    'cat less more tac nl od hexdump xxd strings bat wc file stat md5sum sha1sum sha256sum sha512sum rev paste comm diff cmp source . ls tree du readlink realpath base64 base32 zcat bzcat xzcat gunzip open column fold uniq nano emacs code',
    { use: 'read' },
  ),
  ...each('vim vi nvim ex', { use: 'read', short: 'cSTu' }),
  ...each('head tail', { use: 'read', short: 'nc', long: ['lines', 'bytes'] }),
  ...each('sort', {
    use: 'read',
    short: 'koStT',
    long: ['key', 'output'],
    options: { '-o': 'written', '--output': 'written' },
  }),
  ...each('cut', { use: 'read', short: 'cbdf' }),
  ...each('grep egrep fgrep rg ag ack zgrep', {
    use: 'read',
    isBehindFirst: true,
    short: 'efABCmdDtgjM',
    long: [
      'regexp',
      'file',
      'include',
      'exclude',
      'exclude-dir',
      'glob',
      'type',
      'max-count',
      'after-context',
      'before-context',
      'context',
    ],
    instead: ['-e', '-f', '--regexp', '--file', '--files'],
    options: { '-f': 'read', '--file': 'read' },
  }),
  ...each('awk gawk mawk nawk', {
    use: 'read',
    isBehindFirst: true,
    short: 'vFf',
    long: ['assign', 'field-separator', 'file'],
    instead: ['-f', '--file'],
    options: { '-f': 'read', '--file': 'read' },
  }),
  ...each('jq yq', {
    use: 'read',
    isBehindFirst: true,
    short: 'fL',
    long: ['arg', 'argjson', 'slurpfile', 'rawfile', 'from-file'],
    instead: ['-f', '--from-file'],
  }),
  ...each('cp', { use: 'copy', short: 'tS', long: ['target-directory', 'suffix'], options: INTO }),
  ...each('mv', { use: 'move', short: 'tS', long: ['target-directory', 'suffix'], options: INTO }),
  ...each('ln', { use: 'copy', short: 'tS', long: ['target-directory', 'suffix'], options: INTO }),
  ...each('install', {
    use: 'copy',
    short: 'tSmog',
    long: ['target-directory', 'suffix', 'mode', 'owner', 'group'],
    options: INTO,
  }),
  ...each('tee touch mkdir mkfifo truncate mktemp mkfs mkfs.ext4 mkfs.xfs wipefs fallocate split', {
    use: 'written',
    short: 'srdmlo',
    long: ['size', 'reference', 'date', 'mode'],
  }),
  ...each('chmod chown chgrp', {
    use: 'written',
    isBehindFirst: true,
    long: ['reference'],
    instead: ['--reference'],
  }),
  ...each('curl', {
    use: 'none',
    short: 'oHdXuAebTFcKmErxw',
    long: [
      'output',
      'header',
      'data',
      'data-binary',
      'data-raw',
      'request',
      'user',
      'upload-file',
      'form',
      'cookie-jar',
      'config',
      'max-time',
      'cert',
      'key',
      'url',
      'output-dir',
      'user-agent',
      'cookie',
      'dump-header',
    ],
    options: {
      '-o': 'written',
      '--output': 'written',
      '-T': 'read',
      '--upload-file': 'read',
      '-c': 'written',
      '--cookie-jar': 'written',
      '-K': 'read',
      '--config': 'read',
      '--output-dir': 'written',
      '-D': 'written',
      '--dump-header': 'written',
      '--key': 'read',
    },
  }),
  ...each('wget', {
    use: 'none',
    short: 'OPoaiUTtQe',
    long: [
      'output-document',
      'directory-prefix',
      'output-file',
      'input-file',
      'header',
      'user-agent',
      'post-file',
      'post-data',
      'body-file',
    ],
    options: {
      '-O': 'written',
      '--output-document': 'written',
      '-P': 'written',
      '--directory-prefix': 'written',
      '-o': 'written',
      '-i': 'read',
      '--input-file': 'read',
      '--post-file': 'read',
      '--body-file': 'read',
    },
  }),
  ...each('zip 7z', { use: 'copy', short: 'xi' }),
  ...each('gzip bzip2 xz zstd', { use: 'written' }),
  ...each('python python3 python2 node ruby php bash sh zsh dash ksh fish deno bun tsx ts-node', {
    use: 'none',
    short: 'cemrWXI',
    long: ['eval', 'print', 'require'],
  }),
  ...each(
    'echo printf true false : exit return export declare local readonly typeset unset alias set shift read trap eval exec sleep wait kill pkill killall test [ whoami id date uname hostname env which type command builtin seq yes ps top jobs bg fg history umask ulimit sudo doas su nohup nice timeout time xargs ssh docker podman kubectl npm npx pnpm yarn pip pip3 uv cargo go brew apt apt-get dnf yum systemctl service ping dig nslookup basename dirname tr apply_patch cd pushd popd watch cmd powershell pwsh parallel gh expr let',
    { use: 'none' },
  ),
])
