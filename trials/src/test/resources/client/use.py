"""Uses a client that a public generator has made of the server's own description: use.py URL TOKEN."""

import sys

from client import AuthenticatedClient
from client.api.boxes import destroy, info, new
from client.api.commands_in_a_box import exec_
from client.api.snapshots_and_forks import fork
from client.models import DestroyBody, ExecBody, ForkBody, NewBody

server = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])

made = new.sync(client=server, body=NewBody(name="made"))
print(made.name, made.status)
done = exec_.sync("made", client=server, body=ExecBody(script="echo said; exit 3"))
print(done.output.strip(), done.exit_code)
copy = fork.sync("made", client=server, body=ForkBody(name="copy"))
print(copy.name, copy.forked_from == made.id)
print(exec_.sync("copy", client=server, body=ExecBody(argv=["echo", "said by the copy"])).output.strip())
print(len(destroy.sync(client=server, body=DestroyBody(boxes=["made", "copy"])).destroyed))
print(info.sync("made", client=server).error.code)
