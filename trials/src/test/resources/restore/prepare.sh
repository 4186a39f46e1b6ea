# Run once in the box, as root: data and programs that check.sh looks at.
set -eu
mkdir -p /srv/work
cd /srv/work
cat >hello.go <<'GO'
package main

import (
	"crypto/sha256"
	"fmt"
)

func main() { fmt.Printf("%x\n", sha256.Sum256([]byte("boxd")))  }
GO
cat >Hello.java <<'JAVA'
public class Hello {
    public static void main(String[] words) throws Exception {
        Thread[] threads = new Thread[4];
        int[] sums = new int[threads.length];
        for (int i = 0; i < threads.length; i++) {
            int mine = i;
            threads[i] = new Thread(() -> { for (int k = 0; k <= 1000; k++) sums[mine] += k; });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println(sums[0] + sums[1] + sums[2] + sums[3]);
    }
}
JAVA
javac Hello.java
go build -o hello hello.go

systemctl is-active postgresql || systemctl start postgresql
su postgres -c 'createdb load && pgbench -q -i -s 1 load'

mkdir -p container/bin
cp /bin/busybox container/bin/busybox
systemctl is-active docker || systemctl start docker
tar -C container -c . | docker import - local/tiny

# A package that nobody has to fetch.
mkdir -p package/DEBIAN package/usr/share/boxd-trial
echo yes >package/usr/share/boxd-trial/here
cat >package/DEBIAN/control <<'CONTROL'
Package: boxd-trial
Version: 1
Architecture: all
Maintainer: nobody <nobody@localhost>
Description: trial
CONTROL
dpkg-deb --build package boxd-trial.deb
