import { describe, expect, test } from 'vitest'
import { readFacts } from '../read-facts.ts'

type Files = {
  readonly read?: readonly string[]
  readonly written?: readonly string[]
  readonly deleted?: readonly string[]
}

const COMMANDS: readonly (readonly [string, Files])[] = [
  ['cp a b /tmp', { read: ['a', 'b'], written: ['/tmp'] }],
  ['cp -t /tmp a b', { read: ['a', 'b'], written: ['/tmp'] }],
  ['mv a b', { written: ['b'], deleted: ['a'] }],
  ['rm -f a; rmdir b; unlink c', { deleted: ['a', 'b', 'c'] }],
  ['cat < a > b 2>> c', { read: ['a'], written: ['b', 'c'] }],
  ['echo x &> a; echo y >| b', { written: ['a', 'b'] }],
  ['> a', { written: ['a'] }],
  ['echo x 2>&1', {}],
  ['tee -a a b', { written: ['a', 'b'] }],
  ['dd if=a of=b bs=1M', { read: ['a'], written: ['b'] }],
  ['sed -i s/x/y/ a b', { written: ['a', 'b'] }],
  ['sed -e s/x/y/ a', { read: ['a'] }],
  ['sed -n 5p a', { read: ['a'] }],
  ['perl -pi -e s/x/y/ a', { written: ['a'] }],
  ['truncate -s 0 a', { written: ['a'] }],
  ['ln -s a b', { read: ['a'], written: ['b'] }],
  ['install -m 755 a b', { read: ['a'], written: ['b'] }],
  ['tar xzf a.tgz -C b', { read: ['a.tgz'], written: ['b'] }],
  ['tar -czf a.tgz b c', { read: ['b', 'c'], written: ['a.tgz'] }],
  ['unzip -d b a.zip', { read: ['a.zip'], written: ['b'] }],
  ['curl -fsSo a http://x', { written: ['a'] }],
  ['curl -T a http://x', { read: ['a'] }],
  ['curl -O http://x/a.sh', { written: ['a.sh'] }],
  ['wget -O a http://x', { written: ['a'] }],
  ['git checkout -- a b', { written: ['a', 'b'] }],
  ['git checkout main', {}],
  ['git restore a', { written: ['a'] }],
  ['git clean -fdx', { deleted: ['.'] }],
  ['git rm a', { deleted: ['a'] }],
  ['grep -rn x a b', { read: ['a', 'b'] }],
  ['grep -e x a', { read: ['a'] }],
  ['head -n 5 a', { read: ['a'] }],
  ['sort -o b a', { read: ['a'], written: ['b'] }],
  ['awk "{print}" a', { read: ['a'] }],
  ['chmod 777 a', { written: ['a'] }],
  ['find a -name x -delete', { read: ['a'], deleted: ['a/{}'] }],
  ['find a -exec rm {} +', { read: ['a'], deleted: ['a/{}'] }],
  ['rsync -a --delete a/ b/', { read: ['a/'], written: ['b/'], deleted: ['b/'] }],
  ['scp a host:b', { read: ['a'] }],
  ['ssh host rm a', {}],
  ['some-tool ./a --x /b', { read: ['./a', '/b'] }],
  ['echo /etc/passwd', {}],
  ['xargs rm <<< "a b"', { deleted: ['a', 'b'] }],
  [`python3 -c 'open("a").read(); open("b", "w")'`, { read: ['a'], written: ['b'] }],
  [`python3 -c 'import shutil; shutil.rmtree("a")'`, { deleted: ['a'] }],
  [`python3 -c 'from pathlib import Path; Path("a").unlink()'`, { deleted: ['a'] }],
  [`node -e 'fs.rmSync("a"); fs.writeFileSync("b", "")'`, { written: ['b'], deleted: ['a'] }],
]

describe('files of commands', () => {
  test.each(COMMANDS)('knows what %j does to files', (command, files) => {
    const found = readFacts({
      name: 'Bash',
      dialect: 'function',
      args: { command },
      arguments: '',
    }).files
    expect({ read: found.read, written: found.written, deleted: found.deleted }).toEqual({
      read: files.read ?? [],
      written: files.written ?? [],
      deleted: files.deleted ?? [],
    })
  })
})
