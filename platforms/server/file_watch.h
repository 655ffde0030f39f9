#pragma once

// FileWatch: whether a file has been changed. It asks the file system when it is asked, which works
// on all of them, also across a network.
//
// Thread: one thread's.

#include <sys/stat.h>

#include <string>

namespace pure::server {

class FileWatch {
 public:
  explicit FileWatch(std::string path);

  // True once for each change, when the file has stayed as it is from one look to the next: an
  // editor may write it in several steps. What it is at first is a change too. A file that is
  // missing has not changed.
  bool Changed();

 private:
  // What another content, written to the file or put in its place, changes.
  struct Identity {
    dev_t device = 0;
    ino_t number = 0;
    off_t bytes = -1;  // -1: there is none
    timespec modified{};
    friend bool operator==(const Identity& a, const Identity& b) {
      return a.device == b.device && a.number == b.number && a.bytes == b.bytes &&
             a.modified.tv_sec == b.modified.tv_sec && a.modified.tv_nsec == b.modified.tv_nsec;
    }
  };
  Identity Look() const;

  const std::string path_;
  Identity known_;
  Identity last_;
};

}  // namespace pure::server
