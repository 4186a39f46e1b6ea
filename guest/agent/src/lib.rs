//! boxd's program inside a machine: the first process of its initramfs, and the server of the
//! agent's channel, which docs/agent-channel.md specifies.
//!
//! `wire`, `fields`, `message`, `reply`, `outbox`, `link`, `leases`, `accounts`, `plan`, of the tasks
//! `request`, `dns`, `tar` and `archive`, and of `sftp` `packet` and `request`, know no system call and are
//! tested and fuzzed as they are; `sys` holds every `unsafe`; the rest connects the two.

pub mod accounts;
pub mod agent;
pub mod busy;
pub mod execution;
pub mod executions;
pub mod fields;
pub mod files;
pub mod grow;
pub mod helper;
pub mod hooks;
pub mod init;
pub mod input;
pub mod launch;
pub mod leases;
pub mod link;
pub mod listing;
pub mod local;
pub mod message;
pub mod outbox;
pub mod output;
pub mod plan;
pub mod port;
pub mod power;
pub mod programs;
pub mod renew;
pub mod renewal;
pub mod reply;
pub mod sftp;
pub mod sys;
pub mod tasks;
pub mod tunnels;
pub mod wire;
